// Runs simulations by their seeds and checks their invariants. The message of a failure contains the command that repeats
// it. The simulations run in worker threads, because the test runner's hooks double the cost of every promise.

import { availableParallelism } from 'node:os';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { checkRun } from './routing-invariants.ts';
import { simulate } from './routing-simulation.ts';

interface Seeds {
  readonly first: number;
  readonly count: number;
}

const mostThreads = 4;

export async function checkSeeds(first: number, count: number): Promise<void> {
  const threads = Math.min(availableParallelism(), mostThreads, count);
  const share = Math.ceil(count / threads);
  const parts = Array.from({ length: threads }, (_, ordinal): Seeds => {
    return { first: first + ordinal * share, count: Math.min(share, count - ordinal * share) };
  });
  const failures = (await Promise.all(parts.map(checkInThread))).filter((failure) => failure !== '');
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

async function checkInThread(seeds: Seeds): Promise<string> {
  const worker = new Worker(new URL(import.meta.url), { workerData: seeds });
  const [failure] = (await once(worker, 'message')) as [string];
  await worker.terminate();
  return failure;
}

/** The message of the first violation, or an empty string. */
async function findFailure({ first, count }: Seeds): Promise<string> {
  // Most errors here are simulated failures, and capturing their stacks takes a tenth of the time.
  Error.stackTraceLimit = 0;
  for (let seed = first; seed < first + count; seed++) {
    try {
      checkRun(await simulate(seed));
    } catch (error) {
      const replay = `SEED=${seed} node --test test/gateway/routing-simulation.test.ts`;
      return `seed ${seed}: ${(error as Error).message}\nTo repeat it: ${replay}`;
    }
  }
  return '';
}

if (!isMainThread && workerData !== null) {
  // oxlint-disable-next-line require-post-message-target-origin -- that is for windows, not for threads
  parentPort?.postMessage(await findFailure(workerData as Seeds));
}
