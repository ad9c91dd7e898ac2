// The coding agent as a real process in its own project, with a scripted model behind a real port.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseScript } from '../../src/testing/model/script.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const forgeflareLauncher = join(import.meta.dirname, '../../bin/forgeflare');

export interface Project {
  /** The working folder. */
  readonly path: string;
  /** Of the user; the folder of state is below. */
  readonly home: string;
  write(name: string, content: string): string;
}

/** Makes projects in one folder, which goes with the file's tests. */
export function projects(): (files?: Readonly<Record<string, string>>) => Project {
  const folder = temporaryFolder().path;
  let made = 0;
  return (files = {}) => {
    made += 1;
    const [path, home] = [join(folder, `project-${made}`), join(folder, `home-${made}`)];
    for (const each of [path, home]) mkdirSync(each);
    const write = (name: string, content: string): string => {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    };
    for (const [name, content] of Object.entries(files)) write(name, content);
    return { path, home, write };
  };
}

/** Ends with the test. */
export async function startModel(context: TestContext, script: object): Promise<SimulateServer> {
  const server = await createSimulateServer({ script: parseScript(script) });
  context.after(() => server.close());
  return server;
}

export type Wire = 'anthropic' | 'openai';

/** What sends an agent to the model. */
export function reaching(server: SimulateServer, wire: Wire = 'anthropic'): Readonly<Record<string, string>> {
  if (wire === 'anthropic') return { ANTHROPIC_API_KEY: 'any', ANTHROPIC_API_URL: server.url };
  return { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${server.url}/v1` };
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A text is piped in; `idle` is a pipe without a writer; left out, /dev/null. */
  readonly input?: string | { readonly idle: true } | undefined;
  /** Ends the process with SIGTERM. */
  readonly signal?: AbortSignal;
  /** Called with all of stderr whenever more of it has come. */
  readonly onError?: (err: string) => void;
}

export interface Ending {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** Must end within 20 s by itself. */
export async function forgeflare(
  { path, home }: Project,
  argv: readonly string[],
  { env = {}, input, onError, signal }: RunOptions = {},
): Promise<Ending> {
  const child = spawn(process.execPath, [forgeflareLauncher, ...argv], {
    cwd: path,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  signal?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  child.stdin?.on('error', () => undefined);
  if (typeof input === 'string') child.stdin?.end(input);
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    onError?.(err);
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  child.stdin?.destroy();
  await new Promise(setImmediate);
  return { exitCode, out, err };
}
