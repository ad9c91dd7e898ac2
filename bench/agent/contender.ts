// The agents to compare. Each is a process, started as its users start it, with the same prompt and the same model server.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelServer, Sample } from './model-server.ts';

export interface Contender {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Installed size in megabytes, without Node. */
  readonly installMb: number;
}

const prompt = 'Read the file, then say done.';

export function bareLoop(url: string): Contender {
  return { name: 'bare loop', argv: [join(import.meta.dirname, 'bare-loop.mjs'), url, prompt], env: {}, installMb: 0 };
}

/** `folder`: where the packed package is installed. */
export function forgeflare(folder: string, url: string): Contender {
  return {
    name: 'forgeflare',
    argv: [join(folder, 'node_modules/simple-agents/bin/forgeflare'), prompt],
    env: { ANTHROPIC_API_KEY: 'bench', ANTHROPIC_API_URL: url },
    installMb: sizeOf(join(folder, 'node_modules')),
  };
}

/** `folder`: where `@earendil-works/pi-coding-agent` is installed. */
export async function pi(folder: string, url: string, home: string): Promise<Contender> {
  const root = join(folder, 'node_modules/@earendil-works/pi-coding-agent');
  const { bin, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    bin: { pi: string };
    version: string;
  };
  const settings = join(home, '.pi', 'agent');
  await mkdir(settings, { recursive: true });
  const provider = { baseUrl: url, api: 'anthropic-messages', apiKey: 'bench', models: [{ id: 'claude-opus-4-6' }] };
  await writeFile(join(settings, 'models.json'), JSON.stringify({ providers: { bench: provider } }));
  return {
    name: `pi ${version}`,
    argv: [join(root, bin.pi), '--print', '--provider', 'bench', '--model', 'claude-opus-4-6', prompt],
    env: { 'PI_OFFLINE': '1' },
    installMb: sizeOf(join(folder, 'node_modules')),
  };
}

function sizeOf(folder: string): number {
  return Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024;
}

/** Runs the agent once in the folder `cwd`. */
export async function measure({ name, argv, env }: Contender, server: ModelServer, cwd: string): Promise<Sample> {
  const child = spawn(process.execPath, argv, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: join(cwd, '..', 'home'), ...env },
  });
  const sample = server.watch(() => child.pid ?? 0);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  if (exitCode !== 0 || !out.includes('Done.')) throw new Error(`${name} exited with code ${exitCode}: ${out}${err}`);
  return sample;
}
