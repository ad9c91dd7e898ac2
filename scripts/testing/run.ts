// Runs test files in several processes until a signal stops them, and the files that fail once more, alone.
// Invariant: no process of the run outlives it. If the run itself is killed, the reaper kills its processes.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { startBatch, type Batch, type BatchOptions, type BatchResult } from './batch.ts';
import { failuresOf, isUnsteady, mostUnsteady, summarize, type Repetition } from './outcome.ts';

export interface RunOptions extends Omit<BatchOptions, 'mark'> {
  /** The number of processes at a time. */
  readonly processes: number;
  /** Ends the processes in progress. The run then fails. */
  readonly stop: AbortSignal;
  readonly write: (text: string) => void;
}

/** Resolves with whether the run passes. */
export async function runTests(files: readonly string[], options: RunOptions): Promise<boolean> {
  const { cwd, processes, stop, write } = options;
  const run = new TestRun(options);
  const batches = await run.runAll(toBatches(files, processes));
  const repetitions = await run.repeat(batches);
  await run.close();
  write(`\n${summarize(batches, repetitions, cwd)}`);
  const unsteady = repetitions.filter(isUnsteady).length;
  return !stop.aborted && unsteady === repetitions.length && unsteady <= mostUnsteady;
}

const fewestFiles = 15;
const batchesForEach = 5;

/** Distributes files round-robin, because neighbours in the alphabet are often similar and slow files must be spread. */
function toBatches(files: readonly string[], processes: number): (readonly string[])[] {
  const most = Math.ceil(files.length / fewestFiles);
  const count = most <= processes ? most : Math.min(processes * batchesForEach, most);
  return Array.from({ length: count }, (_, ordinal) => files.filter((_file, index) => index % count === ordinal));
}

class TestRun {
  readonly #options: RunOptions;
  readonly #id = randomUUID();
  readonly #running = new Set<Batch>();
  readonly #reaper: ChildProcess;
  #count = 0;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#reaper = startReaper(this.#id);
    options.stop.addEventListener('abort', () => {
      for (const batch of this.#running) batch.stop();
    });
  }

  /**
   * Each process takes the next batch when it has finished one, so that a slow file delays only its own batch. The output of
   * a batch is shown when it ends.
   */
  async runAll(batches: readonly (readonly string[])[]): Promise<BatchResult[]> {
    const { processes, stop, write } = this.#options;
    const results: BatchResult[] = [];
    const waiting = [...batches];
    const runBatches = async (): Promise<void> => {
      for (let files = waiting.shift(); files !== undefined && !stop.aborted; files = waiting.shift()) {
        const result = await this.#run(files);
        results.push(result);
        write(result.output);
      }
    };
    await Promise.all(Array.from({ length: processes }, runBatches));
    return results;
  }

  async repeat(batches: readonly BatchResult[]): Promise<Repetition[]> {
    const { cwd, stop } = this.#options;
    const repetitions: Repetition[] = [];
    for (const failure of batches.flatMap((batch) => failuresOf(batch, cwd))) {
      const runs: BatchResult[] = [];
      for (const file of failure.files) if (!stop.aborted) runs.push(await this.#run([file]));
      if (!stop.aborted) repetitions.push({ failure, runs });
    }
    return repetitions;
  }

  async close(): Promise<void> {
    this.#reaper.stdin?.end();
    if (this.#reaper.exitCode === null && this.#reaper.signalCode === null) await once(this.#reaper, 'exit');
  }

  async #run(files: readonly string[]): Promise<BatchResult> {
    const batch = startBatch(files, { ...this.#options, mark: `${this.#id}-${(this.#count += 1)}.` });
    this.#reaper.stdin?.write(`${batch.group}\n`);
    this.#running.add(batch);
    const result = await batch.result;
    this.#running.delete(batch);
    return result;
  }
}

/** In its own process group, which Ctrl-C does not reach. */
function startReaper(id: string): ChildProcess {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts'), id], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  reaper.stdin?.on('error', () => undefined);
  return reaper;
}
