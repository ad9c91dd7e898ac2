// Runs every command that docs/forgeflare.md shows with its output. They use the guard, which executes nothing, show a
// session, or use the simulated model.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { parseHooks } from '../../src/coder/hooks/table.ts';
import { launcher } from '../support/cli-process.ts';
import { writeFixture } from '../support/session-fixture.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const manual = readFileSync(join(import.meta.dirname, '../../docs/forgeflare.md'), 'utf8');
const cwd = temporaryFolder().path;
writeFixture(cwd);
const elsewhere = temporaryFolder().path;
const path = [dirname(launcher), dirname(process.execPath), process.env['PATH']].join(delimiter);
const sessions = [...manual.matchAll(/```console\n([^]*?)```/g)].flatMap(([, block = '']) =>
  block.split(/^\$ /m).filter((part) => part !== ''),
);

function run(command: string): Promise<{ output: string; exitCode: unknown }> {
  return new Promise((resolve) => {
    // Whoever asks a model leaves a session behind.
    const folder = command.includes('forgeflare sessions') ? cwd : elsewhere;
    execFile('sh', ['-c', `{ ${command}; } 2>&1`], { cwd: folder, env: { PATH: path, HOME: cwd } }, (error, output) => {
      resolve({ output, exitCode: error?.code ?? 0 });
    });
  });
}

describe('docs/forgeflare.md', () => {
  test('shows commands that change nothing', () => {
    assert.ok(sessions.length >= 7);
    for (const session of sessions) assert.match(session, /^(printf '%s\\n' .* \| |echo .* \| )?forgeflare /);
  });

  test('shows hooks that can be read', async () => {
    const [, table = ''] = /```toml\n([^]*?)```/.exec(manual) ?? [];
    assert.equal((await parseHooks(table, 'hooks.toml')).length, 2);
  });

  for (const session of sessions) {
    const [command = '', ...output] = session.split('\n');
    test(command, async () => assert.equal((await run(command)).output, output.join('\n')));
  }
});

describe('forgeflare', () => {
  const expected: readonly (readonly [command: string, exitCode: number, output: RegExp])[] = [
    ['forgeflare --version', 0, /^\d+\.\d+\.\d+\n$/],
    ['forgeflare --help', 0, /^Usage: forgeflare .*guard/s],
    ['forgeflare guard --help', 0, /--jsonl/],
    ['forgeflare sesions', 2, /^forgeflare: unknown command 'sesions'; did you mean "sessions"/],
    ['forgeflare --help', 0, /--trust-hooks.*--output-format.*Exit codes:/s],
    ['forgeflare guard --nonsense', 2, /^forgeflare: unknown option/],
    ['forgeflare guard --jsonl ls', 2, /^forgeflare: --jsonl reads commands from standard input/],
    ['forgeflare guard ls', 0, /^allow: /],
    ['forgeflare guard env', 10, /^ask: secrets: /],
    ["forgeflare guard 'mkfs /dev/sda'", 11, /^refuse: filesystem: /],
    ["echo 'git push -f' | forgeflare guard", 11, /^refuse: forced-push: /],
    ['forgeflare guard --jsonl < /dev/null', 0, /^$/],
    [`echo '{"id":"a"}' | forgeflare guard --jsonl`, 0, /^\{"id":"a","error":"command: must be a string"\}\n$/],
    [`echo '[]' | forgeflare guard --jsonl`, 0, /^\{"id":null,"error":/],
  ];
  for (const [command, exitCode, output] of expected) {
    test(command, async () => {
      const ending = await run(command);
      assert.match(ending.output, output);
      assert.equal(ending.exitCode, exitCode);
    });
  }
});
