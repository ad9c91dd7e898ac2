// `forgeflare sessions` as a process: what it lists, shows and creates, and its errors.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { launcher } from '../support/cli-process.ts';
import { fixtureId, writeFixture } from '../support/session-fixture.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = join(launcher, '..', 'forgeflare');
const empty = temporaryFolder().path;

interface Ending {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

function sessions(cwd: string, ...argv: readonly string[]): Promise<Ending> {
  const env = { PATH: process.env['PATH'], HOME: empty };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'sessions', ...argv], { cwd, env }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: Number(error?.code ?? 0) });
    });
  });
}

function project(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFixture(folder);
  return folder;
}

describe('forgeflare sessions', { concurrency: true }, () => {
  test('of a folder without any says so', async () => {
    assert.deepEqual(await sessions(empty), {
      stdout: 'There are no sessions in this folder yet.\n',
      stderr: '',
      code: 0,
    });
  });

  test('as JSON are for programs', async (context) => {
    const { stdout } = await sessions(project(context), 'list', '--output', 'json');
    assert.partialDeepStrictEqual(JSON.parse(stdout), {
      sessions: [
        {
          id: fixtureId,
          startedAt: '2026-11-16T09:00:00.000Z',
          updatedAt: '2026-11-16T09:01:00.000Z',
          prompt: 'The test of add fails. Why?',
          messages: 4,
          problems: [],
        },
      ],
    });
  });

  test('are named by the beginning of their uuid, and from elsewhere with --cwd', async (context) => {
    const { stdout, code } = await sessions(empty, 'show', '3f2a', '--cwd', project(context));
    assert.match(stdout, new RegExp(`^Session ${fixtureId}\\n\\n> The test of add fails. Why\\?\\n`));
    assert.equal(code, 0);
  });

  test('go into a file', async (context) => {
    const folder = project(context);
    assert.deepEqual(await sessions(folder, 'export', 'last', '--to', 'talk.md'), { stdout: '', stderr: '', code: 0 });
    assert.match(
      readFileSync(join(folder, 'talk.md'), 'utf8'),
      /^# Session .*\n\n## User, 2026-11-16T09:00:00\.000Z\n/,
    );
    const { stderr, code } = await sessions(folder, 'export', 'last', '--to', 'no/such/folder.md');
    assert.match(stderr, /^forgeflare: --to: cannot write .*folder\.md \(ENOENT\)\n/);
    assert.equal(code, 2);
  });

  test('can be forked', async (context) => {
    const folder = project(context);
    const { stdout, stderr, code } = await sessions(folder, 'fork', '3f2a');
    const id = stdout.trim();
    assert.equal(stderr, `Continue with: forgeflare --resume ${id}\n`);
    assert.equal(code, 0);
    const names = readdirSync(join(folder, '.entire', 'metadata'));
    assert.deepEqual(names.toSorted(), ['.gitignore', fixtureId, id].toSorted());
    const shown = await Promise.all([fixtureId, id].map((name) => sessions(folder, 'show', name)));
    assert.equal(shown[1]?.stdout.replace(id, fixtureId), shown[0]?.stdout);
  });

  test('that were cut off are shown, with a word about it', async (context) => {
    const folder = project(context);
    appendFileSync(join(folder, '.entire', 'metadata', fixtureId, 'full.jsonl'), '{"type":"us');
    const { stdout, stderr, code } = await sessions(folder, 'show', 'last');
    assert.match(stdout, /It subtracts/);
    assert.equal(stderr, 'forgeflare: full.jsonl:5: skipped this line: it was not written completely\n');
    assert.equal(code, 0);
  });

  for (const [argv, message] of [
    [['show', 'zzz'], /^forgeflare: there is no session "zzz" in this folder; "forgeflare sessions" lists them\n/],
    [['show', '../../etc'], /^forgeflare: there is no session "\.\.\/\.\.\/etc" in this folder/],
    [['show'], /^forgeflare: missing required argument 'session'/],
    [['fork', 'last'], /^forgeflare: there is no session in this folder yet/],
    [['lst'], /^forgeflare: (unknown command|too many arguments)/],
  ] as const) {
    test(`${argv.join(' ')} is refused`, async () => {
      const { stderr, code } = await sessions(empty, ...argv);
      assert.match(stderr, message);
      assert.equal(code, 2);
    });
  }
});
