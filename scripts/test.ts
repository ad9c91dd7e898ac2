// `npm test`, `npm run test:full`, `npm run test:live`: finds the test files of a suite and runs them in a few processes at
// a time. Arguments that are not options select files instead; options are passed to Node's test runner. It also guards
// against too few test files, a run that never ends, and API keys that would let a test call a real provider.

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

interface Suite {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The minimum number of files, because the runner succeeds without any. Raise this as the suite grows. */
  readonly leastFiles: number;
  /** The time limit in minutes, for a slow machine. The full suite also builds the native library, once. */
  readonly minutes: number;
}

/** The maximum number of processes. Each one loads the code it tests, which takes memory and time. */
const mostProcesses = 4;
const fewestFiles = 15;
const batchesForEach = 5;

const quick: Suite = {
  include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  exclude: ['test/full/**', 'test/live/**'],
  leastFiles: 270,
  minutes: 15,
};

const suites: Readonly<Record<string, Suite>> = {
  quick,
  full: { ...quick, exclude: ['test/live/**'], leastFiles: quick.leastFiles + 1, minutes: 60 },
  live: { include: ['test/live/**/*.test.ts'], exclude: [], leastFiles: 1, minutes: 10 },
};

const root = join(import.meta.dirname, '..');
const compileCache = join(root, 'node_modules', '.cache', 'compile');
const lifeline = join(import.meta.dirname, 'lifeline.cjs');
const fixedSeed = join(root, 'test/support/fixed-seed.ts');
const [suiteName = 'quick', ...argv] = process.argv.slice(2);
process.exitCode = await runSuite(suiteName);

async function runSuite(name: string): Promise<number> {
  const suite = suites[name];
  if (suite === undefined) return fail(`Unknown suite "${name}". Use one of: ${Object.keys(suites).join(', ')}.`);
  const chosen = argv.filter((argument) => !argument.startsWith('-'));
  const include = chosen.length === 0 ? suite.include : chosen;
  const least = chosen.length === 0 ? suite.leastFiles : 1;
  const files = globSync(include, { cwd: root, exclude: chosen.length === 0 ? suite.exclude : [] }).toSorted();
  if (files.length < least) {
    return fail(`Found ${files.length} test files for ${include.join(', ')}; expected at least ${least}.`);
  }
  const env = name === 'live' ? process.env : withoutKeys(process.env);
  return runFiles(files, suite, { ...env, SIMPLE_AGENTS_SUITE: name });
}

/**
 * Uses two more processes than there are cores, up to a maximum, because tests often wait. Each process takes the next
 * batch of files when it has finished one, so that a slow file delays only its own batch. The output of a batch is shown
 * when it ends, and the failures again at the end of the run.
 */
async function runFiles(files: readonly string[], { minutes }: Suite, env: NodeJS.ProcessEnv): Promise<number> {
  const processes = Math.min(mostProcesses, availableParallelism() + 2);
  const waiting = toBatches(files, processes);
  const running = new Set<TestRun>();
  const results: TestResult[] = [];
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    waiting.length = 0;
    for (const run of running) run.stop();
  }, minutes * 60_000);
  const runBatches = async (): Promise<void> => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const run = startRun(batch, env);
      running.add(run);
      const result = await run.result;
      running.delete(run);
      results.push(result);
      process.stdout.write(result.output);
    }
  };
  await Promise.all(Array.from({ length: processes }, runBatches));
  clearTimeout(limit);
  summarize(results);
  if (isLate) {
    return fail(`The tests did not end within ${minutes} minutes: one hangs, or left a server or a timer behind.`);
  }
  return Math.max(...results.map(({ exitCode }) => exitCode));
}

/** Distributes files round-robin, because neighbours in the alphabet are often similar and slow files must be spread. */
function toBatches(files: readonly string[], processes: number): (readonly string[])[] {
  const most = Math.ceil(files.length / fewestFiles);
  const count = most <= processes ? most : Math.min(processes * batchesForEach, most);
  return Array.from({ length: count }, (_, ordinal) => files.filter((_file, index) => index % count === ordinal));
}

function summarize(results: readonly TestResult[]): void {
  for (const { exitCode, output } of results) {
    const failures = output.indexOf('✖ failing tests:');
    if (exitCode !== 0) process.stdout.write(failures === -1 ? output : output.slice(failures));
  }
  const count = (name: string): number =>
    results.reduce((sum, { output }) => sum + Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0), 0);
  const failed = count('fail') + count('cancelled');
  process.stdout.write(`\n${count('pass')} passed, ${failed} failed, ${count('skipped')} skipped\n`);
}

interface TestResult {
  readonly exitCode: number;
  readonly output: string;
}

interface TestRun {
  readonly result: Promise<TestResult>;
  stop(): void;
}

function startRun(files: readonly string[], env: NodeJS.ProcessEnv): TestRun {
  const options = argv.filter((argument) => argument.startsWith('-'));
  // Older versions of Node use another reporter without a terminal.
  if (!options.some((option) => option.startsWith('--test-reporter'))) options.push('--test-reporter=spec');
  if (env['CI'] !== undefined) options.push('--import', fixedSeed);
  const runner = spawn(process.execPath, ['--require', lifeline, '--test', isolationFlag(), ...options, ...files], {
    cwd: root,
    // The pipe ends the runner when this process is killed.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...env, SIMPLE_AGENTS_LIFELINE: '3', NODE_COMPILE_CACHE: compileCache },
  });
  const said: Uint8Array[] = [];
  for (const stream of [runner.stdout, runner.stderr]) stream?.on('data', (chunk: Uint8Array) => said.push(chunk));
  const result = new Promise<TestResult>((resolve) => {
    runner.on('close', (exitCode) => resolve({ exitCode: exitCode ?? 1, output: Buffer.concat(said).toString() }));
  });
  return {
    result,
    stop() {
      // On this signal the runner names the tests in progress.
      runner.kill('SIGTERM');
      setTimeout(() => runner.kill('SIGKILL'), 5_000).unref();
    },
  };
}

function isolationFlag(): string {
  const isStable = process.allowedNodeEnvironmentFlags.has('--test-isolation');
  return isStable ? '--test-isolation=none' : '--experimental-test-isolation=none';
}

function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.endsWith('_API_KEY')));
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}
