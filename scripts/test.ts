// `npm test`, `npm run test:full`, `npm run test:live`: finds the test files of a suite and runs them in one
// process. Arguments that are not options choose files instead; options go to Node's test runner.
// It guards what the runner does not: too few files found, a run that never ends, keys that would let a test
// reach a real provider.

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

interface Suite {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The runner succeeds when it finds nothing. Raise this as the suite grows. */
  readonly leastFiles: number;
  readonly minutes: number;
}

const quick: Suite = {
  include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  exclude: ['test/full/**', 'test/live/**'],
  leastFiles: 190,
  minutes: 5,
};

const suites: Readonly<Record<string, Suite>> = {
  quick,
  full: { ...quick, exclude: ['test/live/**'], leastFiles: quick.leastFiles + 1, minutes: 20 },
  live: { include: ['test/live/**/*.test.ts'], exclude: [], leastFiles: 1, minutes: 10 },
};

const root = join(import.meta.dirname, '..');
const [suiteName = 'quick', ...argv] = process.argv.slice(2);
process.exitCode = await runSuite(suiteName);

async function runSuite(name: string): Promise<number> {
  const suite = suites[name];
  if (suite === undefined) return refuse(`There is no suite "${name}"; there are: ${Object.keys(suites).join(', ')}.`);
  const chosen = argv.filter((argument) => !argument.startsWith('-'));
  const include = chosen.length === 0 ? suite.include : chosen;
  const least = chosen.length === 0 ? suite.leastFiles : 1;
  const files = globSync(include, { cwd: root, exclude: chosen.length === 0 ? suite.exclude : [] }).toSorted();
  if (files.length < least) {
    return refuse(`Found ${files.length} test files for ${include.join(', ')}; expected at least ${least}.`);
  }
  return runFiles(files, suite, name === 'live' ? process.env : withoutKeys(process.env));
}

function runFiles(files: readonly string[], { minutes }: Suite, env: NodeJS.ProcessEnv): Promise<number> {
  const options = argv.filter((argument) => argument.startsWith('-'));
  // Older Nodes report differently when nobody watches.
  if (!options.some((option) => option.startsWith('--test-reporter'))) options.push('--test-reporter=spec');
  const runner = spawn(process.execPath, ['--test', isolationFlag(), ...options, ...files], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    refuse(`The tests did not end within ${minutes} minutes: one hangs, or left a server or a timer behind.`);
    // The runner names the tests that were under way when it is asked to stop.
    runner.kill('SIGTERM');
    setTimeout(() => runner.kill('SIGKILL'), 5_000).unref();
  }, minutes * 60_000);
  return new Promise((resolve) => {
    runner.on('exit', (exitCode) => {
      clearTimeout(limit);
      resolve(isLate ? 1 : (exitCode ?? 1));
    });
  });
}

function isolationFlag(): string {
  const isStable = process.allowedNodeEnvironmentFlags.has('--test-isolation');
  return isStable ? '--test-isolation=none' : '--experimental-test-isolation=none';
}

function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.endsWith('_API_KEY')));
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}
