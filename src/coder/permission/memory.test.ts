// The permissions file: written atomically; reported and ignored if it is damaged.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openPermissionMemory } from './memory.ts';

const folder = temporaryFolder().path;
let count = 0;
function freshPath(): string {
  count += 1;
  return join(folder, `memory-${count}/permissions.json`);
}

function placed(content: string, mode = 0o600): string {
  const path = freshPath();
  mkdirSync(join(path, '..'));
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const edit = { kind: 'edit' } as const;
const good = JSON.stringify({ version: 1, projects: { '/p': { edit: true, commands: ['a'], tools: [] } } });

describe('the permissions file', () => {
  test('is not there before something is remembered, and is the user’s alone then', async () => {
    const path = freshPath();
    const { memory, problem } = await openPermissionMemory({ path, project: '/p' });
    assert.equal(problem, undefined);
    assert.equal(memory.allows(edit), false);
    assert.equal(existsSync(path), false);
    assert.equal(await memory.remember(edit), undefined);
    assert.equal(memory.allows(edit), true);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(path, '..')), ['permissions.json']);
  });

  test('keeps what others and other runs put there', async () => {
    const path = placed(good);
    const [first, second] = await Promise.all([
      openPermissionMemory({ path, project: '/p' }),
      openPermissionMemory({ path, project: '/q' }),
    ]);
    await first.memory.remember({ kind: 'command', command: 'b' });
    await Promise.all(['x', 'y', 'x'].map((name) => second.memory.remember({ kind: 'tool', name })));
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')).projects, {
      '/p': { edit: true, commands: ['a', 'b'], tools: [] },
      '/q': { edit: false, commands: [], tools: ['x', 'y'] },
    });
  });

  const damaged: readonly (readonly [name: string, content: string])[] = [
    ['cut', good.slice(0, 40)],
    ['empty', ''],
    ['of another version', good.replace('1', '2')],
    ['with a wrong project', good.replace('true', '"yes"')],
    ['with wrong commands', good.replace('"a"', '5')],
    ['with a list for projects', '{"version":1,"projects":[]}'],
  ];
  for (const [name, content] of damaged) {
    test(`is reported, ignored and not overwritten if it is ${name}`, async () => {
      const path = placed(content);
      const { memory, problem } = await openPermissionMemory({ path, project: '/p' });
      assert.match(
        problem ?? '',
        /permissions\.json is damaged: .*it is ignored and not changed\. Repair or delete it\.$/,
      );
      assert.equal(memory.allows(edit), false);
      assert.equal(await memory.remember(edit), problem);
      assert.equal(memory.allows(edit), true);
      assert.equal(readFileSync(path, 'utf8'), content);
    });
  }

  test('is ignored if others may write it', async () => {
    const { memory, problem } = await openPermissionMemory({ path: placed(good, 0o666), project: '/p' });
    assert.match(problem ?? '', /is writable by other users \(chmod 600/);
    assert.equal(memory.allows(edit), false);
  });

  test('knows no project by the names of objects', async () => {
    const { memory } = await openPermissionMemory({ path: placed(good), project: '__proto__' });
    assert.equal(memory.allows(edit), false);
    assert.equal(await memory.remember(edit), undefined);
  });

  test('holds for the run when it cannot be written', async () => {
    const path = join(placed(good), 'below/permissions.json');
    const { memory, problem } = await openPermissionMemory({ path, project: '/p' });
    assert.match(problem ?? '', /cannot be read/);
    assert.match((await memory.remember(edit)) ?? '', /cannot be read/);
    assert.equal(memory.allows(edit), true);
  });
});
