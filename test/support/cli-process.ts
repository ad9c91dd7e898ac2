// Runs a command line as a real process, as a user would start it.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export const launcher = join(import.meta.dirname, '../../bin/simple-agents');

export interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options for Node. */
  readonly node?: readonly string[];
  /** The limit of open files. */
  readonly mostFiles?: number;
}

export interface CliProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when stdout matches the pattern. */
  shows(pattern: RegExp): Promise<void>;
  ended(): Promise<number | null>;
}

/** Starts the process with only the given environment. It is stopped when the test ends. */
export function startCli(context: TestContext, argv: readonly string[], options: ProcessOptions): CliProcess {
  const { cwd, env = {}, node = [], mostFiles } = options;
  const limit = mostFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${mostFiles} && exec "$0" "$@"`];
  const [command = '', ...rest] = [...limit, process.execPath, ...node, launcher, ...argv];
  const child = spawn(command, rest, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
  });
  const exit = once(child, 'close') as Promise<[number | null]>;
  context.after(() => child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return {
    child,
    out: () => out,
    err: () => err,
    async shows(pattern) {
      while (!pattern.test(out)) await once(child.stdout, 'data');
    },
    async ended() {
      return (await exit)[0];
    },
  };
}
