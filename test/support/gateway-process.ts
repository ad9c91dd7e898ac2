// The gateway as a separate process with an upstream of the test, and the system's figures about it.

import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { startCli, type CliProcess } from './cli-process.ts';

export interface GatewayProcess {
  readonly cli: CliProcess;
  readonly url: string;
}

export interface GatewayProcessOptions {
  readonly cwd: string;
  /** The upstream of both wires. */
  readonly upstream: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
  readonly mostFiles?: number;
}

export async function startGatewayProcess(
  context: TestContext,
  { upstream, argv = [], env = {}, ...options }: GatewayProcessOptions,
): Promise<GatewayProcess> {
  const keys = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
  const bases = { OPENAI_BASE_URL: `${upstream}/v1`, ANTHROPIC_BASE_URL: upstream };
  const cli = startCli(context, ['serve', '--port', '0', '--log-level', 'error', ...argv], {
    ...options,
    env: { ...keys, ...bases, ...env },
  });
  await cli.shows(/listening on .*\n/);
  const url = /listening on (\S+)/.exec(cli.out())?.[1] ?? '';
  return { cli, url };
}

/** Available on Linux only. */
export const canMeasure = process.platform === 'linux';

/** The memory of a process started with `probe` after garbage collection, in bytes. */
export async function retainedMemory({ child, out }: CliProcess): Promise<NodeJS.MemoryUsage> {
  const before = out().length;
  child.kill('SIGUSR2');
  for (;;) {
    const printed = /^memory (\{.*\})$/m.exec(out().slice(before))?.[1];
    if (printed !== undefined) return JSON.parse(printed) as NodeJS.MemoryUsage;
    await once(child.stdout, 'data');
  }
}

export const probe = ['--expose-gc', '--import', join(import.meta.dirname, 'memory-probe.mjs')];
