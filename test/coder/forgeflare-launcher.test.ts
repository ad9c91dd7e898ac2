// The coding agent started with a Node that is too old, then killed: neither the agent nor its commands keep running.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgeflareLauncher, projects, reaching, startModel } from '../support/forgeflare-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
      const nap = `300.${process.pid}${sandbox === undefined ? 1 : 2}`;
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
      while (processesWith(`sleep\0${nap}`) < 2) await sleep(20);
      child.kill('SIGKILL');
      await closed;
      const deadline = Date.now() + 5_000;
      while (processesWith(nap) > 0 && Date.now() < deadline) await sleep(20);
      assert.equal(processesWith(nap), 0);
      assert.equal(processesWith(path), 0);
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
