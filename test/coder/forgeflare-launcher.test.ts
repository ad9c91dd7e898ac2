// The coding agent started with a Node that is too old, then killed: neither the agent nor its commands keep running.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { forgeflareLauncher, projects, reaching, startModel } from '../support/forgeflare-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const newProject = projects();
const folder = temporaryFolder();
const oldNode = folder.write(
  'old-node.cjs',
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });`,
);

describe('a launcher that is killed', () => {
  for (const sandbox of ['off', undefined]) {
    const title = `leaves neither agent nor command${sandbox === undefined ? '' : ', without a sandbox'}`;
    test(title, { timeout: 60_000 }, async (context) => {
      const nap = `3600.${process.pid}${sandbox === undefined ? 1 : 2}`;
      const script = {
        replies: [{ toolCalls: [{ name: 'Bash', input: { command: `sleep ${nap} & sleep ${nap}` } }] }],
      };
      const server = await startModel(context, script);
      const { path, home } = newProject();
      const flags = ['--permission', 'full', ...(sandbox === undefined ? [] : ['--sandbox', sandbox])];
      const argv = ['--require', oldNode, forgeflareLauncher, ...flags, 'wait a while'];
      const child = spawn(process.execPath, argv, {
        cwd: path,
        env: { PATH: process.env['PATH'], HOME: home, ...reaching(server) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const closed = once(child, 'close');
      child.stdout.resume();
      child.stderr.resume();
      await until(() => processesWith(`sleep\0${nap}`) >= 2);
      child.kill('SIGKILL');
      await closed;
      await until(() => processesWith(nap) === 0 && processesWith(path) === 0);
    });
  }
});

function processesWith(marker: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLine(name).includes(marker)).length;
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
