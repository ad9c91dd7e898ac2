// Runs test files in one process of Node's test runner and reads the results.
// Invariant: when a batch has a result, no process that it started is running.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProcesses, killProcesses, type RunningProcess } from './processes.ts';
import { lastLine, type TestResult } from './reporter.ts';

export interface BatchOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Options of Node's test runner. */
  readonly options: readonly string[];
  /** In the environment of the processes of this batch, and of no others. */
  readonly mark: string;
}

export interface BatchResult {
  readonly files: readonly string[];
  readonly isPass: boolean;
  readonly output: string;
  readonly results: readonly TestResult[];
  /** Whether the process ran all tests. It may end before, even with exit code 0. */
  readonly isComplete: boolean;
  /** The processes that were still running, as a PID and a command. */
  readonly leftRunning: readonly string[];
}

export interface Batch {
  readonly group: number;
  readonly result: Promise<BatchResult>;
  stop(): void;
}

/** Milliseconds for the test runner to name the tests in progress. */
const grace = 5_000;
/** Milliseconds for the output of ended processes to arrive. */
const outputGrace = 1_000;

const reporter = join(import.meta.dirname, 'reporter.ts');

export function startBatch(files: readonly string[], { cwd, env, options, mark }: BatchOptions): Batch {
  const folder = mkdtempSync(join(tmpdir(), 'test-results-'));
  const resultFile = join(folder, 'results.jsonl');
  const reporters = [...reporterOptions(options), `--test-reporter=${reporter}`];
  const destinations = [...destinationOptions(options), `--test-reporter-destination=${resultFile}`];
  const argv = ['--test', isolationFlag(), ...options, ...reporters, ...destinations, ...files];
  const runner = spawn(process.execPath, argv, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, SIMPLE_AGENTS_TEST_RUN: mark },
    // Its own process group, which is killed as a whole.
    detached: true,
  });
  const group = runner.pid ?? 0;
  const owner = { mark, groups: [group] };
  let known: readonly RunningProcess[] = [];
  const finish = async (): Promise<BatchResult> => {
    const [{ exitCode, output }, leftRunning] = await ending(runner, () => killProcesses(owner, known));
    const { results, isComplete } = readResults(resultFile);
    rmSync(folder, { recursive: true });
    // Some versions of Node exit with 0 although a hook of a suite failed.
    const isPass = exitCode === 0 && isComplete && results.every(({ outcome }) => outcome !== 'failed');
    return { files, isPass, output, results, isComplete, leftRunning };
  };
  return {
    group,
    result: finish(),
    stop() {
      known = findProcesses(owner);
      runner.kill('SIGTERM');
      setTimeout(() => runner.kill('SIGKILL'), grace).unref();
    },
  };
}

interface Ending {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Does not wait for the end of the output, because a process that nobody knows of may hold it open. */
async function ending<T>(runner: ChildProcess, onExit: () => Promise<T>): Promise<[Ending, T]> {
  const chunks: Uint8Array[] = [];
  const streams = [runner.stdout, runner.stderr].filter((stream) => stream !== null);
  for (const stream of streams) stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  const closed = once(runner, 'close');
  const [exitCode] = (await once(runner, 'exit')) as [number | null];
  const value = await onExit();
  const late = setTimeout(() => {
    for (const stream of streams) stream.destroy();
  }, outputGrace);
  await closed;
  clearTimeout(late);
  return [{ exitCode, output: Buffer.concat(chunks).toString() }, value];
}

function readResults(file: string): Pick<BatchResult, 'results' | 'isComplete'> {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1);
  const isComplete = lines.at(-1) === lastLine;
  const results = (isComplete ? lines.slice(0, -1) : lines).map((line) => JSON.parse(line) as TestResult);
  return { results, isComplete };
}

/** Older versions of Node use another reporter without a terminal. */
function reporterOptions(options: readonly string[]): string[] {
  return options.some((option) => option.startsWith('--test-reporter=')) ? [] : ['--test-reporter=spec'];
}

function destinationOptions(options: readonly string[]): string[] {
  const isChosen = options.some((option) => option.startsWith('--test-reporter-destination='));
  return isChosen ? [] : ['--test-reporter-destination=stdout'];
}

function isolationFlag(): string {
  const isStable = process.allowedNodeEnvironmentFlags.has('--test-isolation');
  return isStable ? '--test-isolation=none' : '--experimental-test-isolation=none';
}
