// Edit and Write refuse a file that changed since the model read it, and Write a file that it has not read.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ToolPolicy } from '../../src/agent/policy.ts';
import { codingWorkspace, edit, file, refused } from '../support/coding-workspace.ts';

const stale = /a\.txt changed since it was read: read it again/;
const unread = /a\.txt exists and was not read in this session; nothing was written\. Read it first/;

function workspaceWith(content: string) {
  const workspace = codingWorkspace();
  const path = workspace.write('a.txt', content);
  const put = (text: string, name = 'a.txt') => workspace.call('Write', { 'file_path': name, content: text });
  return { ...workspace, path, put, content: () => readFileSync(path, 'utf8') };
}

describe('a file that changed since it was read', () => {
  const changes: readonly (readonly [name: string, change: (path: string) => void])[] = [
    ['written to', (path) => writeFileSync(path, 'one\nchanged\n')],
    [
      'replaced',
      (path) => {
        writeFileSync(`${path}.new`, 'one\nchanged\n');
        renameSync(`${path}.new`, path);
      },
    ],
    [
      'of the same size and time',
      (path) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, 'one\nTWO\n');
        utimesSync(path, atime, mtime);
      },
    ],
    ['emptied', (path) => writeFileSync(path, '')],
    ['with other line breaks', (path) => writeFileSync(path, 'one\r\ntwo\r\n')],
  ];
  for (const [name, change] of changes) {
    for (const range of [{}, { offset: 1, limit: 1 }]) {
      test(`${name}, after Read ${JSON.stringify(range)}`, async () => {
        const { call, path, put, content } = workspaceWith('one\ntwo\n');
        await call('Read', { ...file('a.txt'), ...range });
        change(path);
        const changed = content();
        refused(await put('mine\n'), stale);
        refused(await call('Edit', edit('a.txt', 'one', 'mine')), stale);
        refused(await call('Edit', edit('a.txt', '', 'mine')), stale);
        assert.equal(content(), changed);
        await call('Read', file('a.txt'));
        assert.equal((await put('mine\n')).isError, false);
        assert.equal(content().trimEnd(), 'mine');
      });
    }
  }

  test('by a command of the agent', async () => {
    const { call, put } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    await call('Bash', { command: 'echo two >> a.txt' });
    refused(await put('mine\n'), stale);
  });

  test('by a formatter after the own change', async () => {
    const { call, path, put } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    assert.equal((await put('two\n')).isError, false);
    writeFileSync(path, '  two\n');
    refused(await call('Edit', edit('a.txt', 'two', 'three')), stale);
  });

  test('deleted: Write creates it, Edit does not append to nothing', async () => {
    const { call, path, put, content } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    rmSync(path);
    refused(await call('Edit', edit('a.txt', '', 'two\n')), /a\.txt was deleted since it was read/);
    refused(await call('Edit', edit('a.txt', 'one', 'two')), /a\.txt was deleted since it was read/);
    assert.equal((await put('two\n')).text, 'Created a.txt (4 bytes).');
    assert.equal(content(), 'two\n');
  });

  test('deleted and created again by someone else', async () => {
    const { call, path, put } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    rmSync(path);
    writeFileSync(path, 'theirs\n');
    refused(await put('two\n'), stale);
  });

  test('while the user was asked about the change', async () => {
    const { call, path, content } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    const slow: ToolPolicy = {
      around: (_call, next) => {
        writeFileSync(path, 'theirs\n');
        return next();
      },
    };
    refused(await call('Write', { 'file_path': 'a.txt', content: 'mine\n' }, { policies: [slow] }), stale);
    assert.equal(content(), 'theirs\n');
  });

  test('is refused before the user is asked', async () => {
    const { call, path } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    writeFileSync(path, 'theirs\n');
    const previewing: ToolPolicy = {
      around: async ({ preview }) => ({ content: [{ type: 'text', text: JSON.stringify(await preview?.()) }] }),
    };
    refused(await call('Edit', edit('a.txt', 'one', 'two'), { policies: [previewing] }), stale);
  });

  test('too large to be changed when it was read', async () => {
    const { call, path, put } = workspaceWith('x'.repeat(11 * 1024 * 1024));
    await call('Read', { ...file('a.txt'), limit: 1 });
    writeFileSync(path, 'small\n');
    refused(await put('mine\n'), stale);
  });
});

describe('a file that did not change', () => {
  test('can be changed again and again', async () => {
    const { call, put, content } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    assert.equal((await call('Edit', edit('a.txt', 'one', 'two'))).isError, false);
    assert.equal((await put('three\n')).isError, false);
    assert.equal((await put('three\n')).text, 'a.txt already has this content.');
    assert.equal((await call('Edit', edit('a.txt', '', 'four\n'))).isError, false);
    assert.equal((await put('five\n')).isError, false);
    assert.equal(content(), 'five\n');
  });

  test('keeps its record over a refused change and a new time', async () => {
    const { call, path, put } = workspaceWith('one\n');
    await call('Read', file('a.txt'));
    utimesSync(path, new Date(), new Date());
    refused(await call('Edit', edit('a.txt', 'none', 'two')), /not found/);
    assert.equal((await put('two\n')).isError, false);
  });

  test('read in parts, of several megabytes', async () => {
    const { call } = workspaceWith('line\n'.repeat(600_000));
    await call('Read', { ...file('a.txt'), offset: 10, limit: 1 });
    assert.equal((await call('Edit', edit('a.txt', '', 'last\n'))).isError, false);
  });
});

describe('Write over a file that was not read', () => {
  test('is refused, also after an Edit of one place', async () => {
    const { call, put, content } = workspaceWith('one\ntwo\n');
    refused(await put('mine\n'), unread);
    assert.equal((await call('Edit', edit('a.txt', 'one', 'eins'))).isError, false);
    refused(await put('mine\n'), unread);
    await call('Grep', { pattern: 'two' });
    refused(await put('mine\n'), unread);
    refused(await call('Read', { ...file('a.txt'), offset: 9 }), /has only 2 lines/);
    refused(await put('mine\n'), unread);
    assert.equal(content(), 'eins\ntwo\n');
  });

  test('is not needed for a file that it created, or for the same content', async () => {
    const { call, put } = workspaceWith('one\n');
    assert.equal((await put('one\n')).text, 'a.txt already has this content.');
    assert.equal((await put('new\n', 'b.txt')).isError, false);
    assert.equal((await put('newer\n', 'b.txt')).isError, false);
    await call('Edit', edit('c.txt', '', 'new\n'));
    assert.equal((await put('newer\n', 'c.txt')).isError, false);
  });

  test('counts a read through a link, and another spelling of the path', async () => {
    const { call, root, put } = workspaceWith('one\n');
    symlinkSync('a.txt', join(root, 'link.txt'));
    mkdirSync(join(root, 'sub'));
    await call('Read', file('link.txt'));
    assert.equal((await put('two\n', 'sub/../a.txt')).isError, false);
    assert.equal((await put('three\n', 'link.txt')).isError, false);
  });

  test('does not count what a link pointed to before', async () => {
    const { call, root, write, put } = workspaceWith('one\n');
    write('b.txt', 'other\n');
    symlinkSync('b.txt', join(root, 'link.txt'));
    await call('Read', file('link.txt'));
    rmSync(join(root, 'link.txt'));
    symlinkSync('a.txt', join(root, 'link.txt'));
    refused(await put('two\n', 'link.txt'), unread);
  });

  test('counts only reads of the same agent', async () => {
    const { call, put } = workspaceWith('one\n');
    const subagent = { callId: 'task-1', name: 'general', task: 'write' };
    const other = (content: string) => call('Write', { 'file_path': 'a.txt', content }, { subagent });
    await call('Read', file('a.txt'));
    refused(await other('two\n'), unread);
    await call('Read', file('a.txt'), { subagent });
    assert.equal((await other('two\n')).isError, false);
    refused(await put('three\n'), stale);
    await call('Read', file('a.txt'));
    assert.equal((await put('three\n')).isError, false);
    refused(await other('four\n'), stale);
  });
});
