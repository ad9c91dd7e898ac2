// Loading the agents of a project and of the user, and the trust they need.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { failsWith } from '../../../test/support/fails-with.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { isTrusted, refuseUntrusted, trust } from '../hooks/trust.ts';
import { loadProjectAgents, loadUserAgents } from './load.ts';

const base = temporaryFolder();
let made = 0;

const reviewer = '---\nname: reviewer\ndescription: Reviews\n---\nReview it.\n';

function project(files: Readonly<Record<string, string | Uint8Array>>): string {
  made += 1;
  const folder = join(base.path, `project-${made}`);
  mkdirSync(join(folder, '.forgeflare', 'agents'), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, '.forgeflare', 'agents', name), content);
  return folder;
}

describe('the agents of a project', () => {
  test('are its markdown files in the order of their names', async () => {
    const folder = project({ 'b.md': reviewer.replace('reviewer', 'b'), 'a.md': reviewer, 'notes.txt': 'x' });
    const table = await loadProjectAgents(folder);
    assert.deepEqual(
      table?.agents.map(({ name, file }) => [name, file]),
      [
        ['reviewer', '.forgeflare/agents/a.md'],
        ['b', '.forgeflare/agents/b.md'],
      ],
    );
  });

  test('are none without a folder or without files', async () => {
    assert.equal(await loadProjectAgents(join(base.path, 'nowhere')), undefined);
    assert.equal(await loadProjectAgents(project({ 'notes.txt': 'x' })), undefined);
  });

  const broken: readonly (readonly [name: string, folder: () => string, problem: RegExp])[] = [
    ['one name twice', () => project({ 'a.md': reviewer, 'b.md': reviewer }), /b\.md: name: .*a\.md has the same name/],
    ['no front matter', () => project({ 'README.md': 'Hello' }), /agents\/README\.md:1: has no front matter/],
    ['another encoding', () => project({ 'a.md': Uint8Array.of(0xff, 0xfe) }), /a\.md: is not UTF-8/],
    ['too long a prompt', () => project({ 'a.md': reviewer + 'x'.repeat(70_000) }), /a\.md: is larger than 64 KB/],
    [
      'too many files',
      () => project(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}.md`, reviewer]))),
      /has 101 files; at most 100/,
    ],
    [
      'a named pipe',
      () => {
        const folder = project({});
        execFileSync('mkfifo', [join(folder, '.forgeflare', 'agents', 'a.md')]);
        return folder;
      },
      /a\.md: is not a file/,
    ],
    [
      'a dangling link',
      () => {
        const folder = project({});
        symlinkSync('/nowhere', join(folder, '.forgeflare', 'agents', 'a.md'));
        return folder;
      },
      /a\.md: cannot be read \(ENOENT\)/,
    ],
  ];
  for (const [name, make, problem] of broken) {
    test(`are refused with ${name}`, async () => {
      await assert.rejects(loadProjectAgents(make()), failsWith('configuration', problem));
    });
  }
});

const load = async (folder: string) => (await loadProjectAgents(folder)) ?? assert.fail('no agents');

describe('trust in agents', () => {
  const state = join(base.path, 'state');

  test('covers exactly these files, and is separate from the trust in hooks', async () => {
    const folder = project({ 'a.md': reviewer });
    const table = await load(folder);
    assert.equal(await isTrusted(table, state), false);
    await trust({ ...table, kind: 'hooks' }, state);
    assert.equal(await isTrusted(table, state), false);
    await trust(table, state);
    assert.equal(await isTrusted(await load(folder), state), true);
    const agents = join(folder, '.forgeflare', 'agents');
    writeFileSync(join(agents, 'b.md'), reviewer.replace('reviewer', 'other'));
    assert.equal(await isTrusted(await load(folder), state), false, 'a further file');
    await trust(await load(folder), state);
    writeFileSync(join(agents, 'a.md'), reviewer.replace('Review it', 'Ruin it'));
    assert.equal(await isTrusted(await load(folder), state), false, 'a changed prompt');
  });

  test('is demanded with the flags in the message', async () => {
    const table = await load(project({ 'a.md': reviewer }));
    assert.throws(
      () => refuseUntrusted(table),
      failsWith('configuration', /the agents of this repository are not trusted; .*--trust-agents.*--no-agents/),
    );
  });
});

test('the user’s own agents need no trust, and a missing folder has none', async () => {
  const folder = join(base.path, 'own');
  assert.deepEqual(await loadUserAgents(folder), []);
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.md'), reviewer);
  assert.deepEqual(
    (await loadUserAgents(folder)).map(({ name, file }) => [name, file]),
    [['reviewer', join(folder, 'a.md')]],
  );
});
