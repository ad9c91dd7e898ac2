// `npm test`, `npm run test:full`, `npm run test:clients`, `npm run test:live`: runs the test files of a suite. Arguments
// that are not options select files instead; options are passed to Node's test runner. It guards against a run without
// files, a run that never ends, processes that outlive it, and API keys that would let a test call a real provider.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runTests } from './testing/run.ts';
import { findTestFiles, root, suites } from './testing/suites.ts';

/** The maximum number of processes. Each one loads the code it tests, which takes memory and time. */
const mostProcesses = 4;
const compileCache = join(root, 'node_modules', '.cache', 'compile');
const fixedSeed = join(root, 'test/support/fixed-seed.ts');
const minutesVariable = 'SIMPLE_AGENTS_TEST_MINUTES';

const [suiteName = 'quick', ...argv] = process.argv.slice(2);
process.exitCode = await runSuite(suiteName);

async function runSuite(name: string): Promise<number> {
  const suite = suites[name];
  if (suite === undefined) return fail(`Unknown suite "${name}". Use one of: ${Object.keys(suites).join(', ')}.`);
  const minutes = Number(process.env[minutesVariable] ?? suite.minutes);
  if (!(minutes > 0)) return fail(`${minutesVariable} must be a number of minutes greater than 0.`);
  const chosen = argv.filter((argument) => !argument.startsWith('-'));
  const files = chosen.length === 0 ? findTestFiles().filter(suite.contains) : findTestFiles(chosen);
  if (files.length === 0) return fail(`Found no test files for ${chosen.join(', ') || `the suite "${name}"`}.`);
  const limit = AbortSignal.timeout(minutes * 60_000);
  const interrupted = interruption();
  const isPass = await runTests(files, {
    cwd: root,
    env: { ...environmentOf(name), SIMPLE_AGENTS_SUITE: name, NODE_COMPILE_CACHE: compileCache },
    options: runnerOptions(),
    // Two more than there are cores, because tests often wait.
    processes: Math.min(mostProcesses, availableParallelism() + 2),
    stop: AbortSignal.any([limit, interrupted]),
    write: (text) => void process.stdout.write(text),
  });
  if (interrupted.aborted) process.kill(process.pid, interrupted.reason as NodeJS.Signals);
  if (limit.aborted) {
    return fail(`The tests did not end within ${minutes} minutes: one hangs, or left a server or a timer behind.`);
  }
  return isPass ? 0 : 1;
}

/** Aborted by the first signal that would end this process, with its name. The second one ends it. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => controller.abort(signal));
  }
  return controller.signal;
}

function runnerOptions(): string[] {
  const options = argv.filter((argument) => argument.startsWith('-'));
  return process.env['CI'] === undefined ? options : [...options, '--import', fixedSeed];
}

/** Without keys, unless the suite calls real providers. */
function environmentOf(suite: string): NodeJS.ProcessEnv {
  if (suite === 'live') return process.env;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.endsWith('_API_KEY')));
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}
