// The file tools in an editor: they read unsaved text, and the editor saves what they change.

import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { EditorFiles } from '../../src/coder/tools/workspace.ts';
import { codingWorkspace } from '../support/coding-workspace.ts';

/** An editor with unsaved texts by path. Saving writes the file, as editors do. */
function createEditor(): { readonly open: Map<string, string>; readonly files: EditorFiles; readonly saved: string[] } {
  const open = new Map<string, string>();
  const saved: string[] = [];
  const files: EditorFiles = {
    read: async (path) => open.get(path),
    write: async (path, text) => {
      saved.push(path);
      open.set(path, text);
      writeFileSync(path, text);
    },
  };
  return { open, files, saved };
}

describe('files of an editor', () => {
  test('Read returns the unsaved text, complete or by lines', async () => {
    const { open, files } = createEditor();
    const { call, write } = codingWorkspace({ editor: files });
    const path = write('a.txt', 'saved\n');
    open.set(path, 'first\nsecond\nthird\n');
    assert.equal((await call('Read', { file_path: 'a.txt' })).text, 'first\nsecond\nthird\n');
    const { text } = await call('Read', { file_path: 'a.txt', offset: 2, limit: 1 });
    assert.equal(text, 'second\n[lines 2 to 2; the file may have more lines]');
  });

  test('Read returns the file if the editor cannot read it', async () => {
    const { files } = createEditor();
    const { call, write } = codingWorkspace({ editor: files });
    write('a.txt', 'saved\n');
    assert.equal((await call('Read', { file_path: 'a.txt' })).text, 'saved\n');
  });

  test('Edit changes the unsaved text, and the editor saves it', async () => {
    const { open, files, saved } = createEditor();
    const { call, write } = codingWorkspace({ editor: files });
    const path = write('a.txt', 'old\n');
    open.set(path, 'unsaved line\nold\n');
    const { isError, text } = await call('Edit', { file_path: 'a.txt', old_str: 'old', new_str: 'new' });
    assert.equal(isError, false, text);
    assert.deepEqual(saved, [path]);
    assert.equal(readFileSync(path, 'utf8'), 'unsaved line\nnew\n');
  });

  test('Write creates a file with its folders through the editor', async () => {
    const { files, saved } = createEditor();
    const { call, root } = codingWorkspace({ editor: files });
    await call('Write', { file_path: 'deep/new.txt', content: 'text\n' });
    assert.deepEqual(saved, [join(root, 'deep/new.txt')]);
    assert.equal(readFileSync(join(root, 'deep/new.txt'), 'utf8'), 'text\n');
  });

  test('line endings and a byte order mark that the editor hides are kept', async () => {
    const { open, files } = createEditor();
    const { call, write } = codingWorkspace({ editor: files });
    const path = write('a.txt', '\ufeffone\r\ntwo\r\n');
    open.set(path, 'one\ntwo\n');
    await call('Edit', { file_path: 'a.txt', old_str: 'two', new_str: '2' });
    assert.equal(readFileSync(path, 'utf8'), '\ufeffone\r\n2\r\n');
  });

  test('a file that is not UTF-8 is read and written on the disk', async () => {
    const { open, files, saved } = createEditor();
    const { call, write } = codingWorkspace({ editor: files });
    const path = write('a.txt', Buffer.from('caf\xe9 old\n', 'latin1'));
    open.set(path, 'caf\ufffd old\n');
    await call('Edit', { file_path: 'a.txt', old_str: 'old', new_str: 'new' });
    assert.deepEqual(saved, []);
    assert.equal(readFileSync(path, 'latin1'), 'caf\xe9 new\n');
  });

  test('a failing editor is an error that the model reads, and the file is unchanged', async () => {
    const files: EditorFiles = { write: async () => Promise.reject(new Error('The editor could not write: busy.')) };
    const { call, write } = codingWorkspace({ editor: files });
    const path = write('a.txt', 'old\n');
    const { isError, text } = await call('Edit', { file_path: 'a.txt', old_str: 'old', new_str: 'new' });
    assert.equal(isError, true);
    assert.match(text, /The editor could not write: busy/);
    assert.equal(readFileSync(path, 'utf8'), 'old\n');
  });

  test('the editor is never asked for a path outside the workspace', async () => {
    const asked: string[] = [];
    const files: EditorFiles = {
      read: async (path) => {
        asked.push(path);
        return 'secret';
      },
      write: async (path) => void asked.push(path),
    };
    const { call, root, outside } = codingWorkspace({ editor: files });
    writeFileSync(join(outside, 'a.txt'), 'outside\n');
    symlinkSync(join(outside, 'a.txt'), join(root, 'link.txt'));
    for (const file of ['link.txt', '../outside/a.txt', join(outside, 'a.txt')]) {
      assert.equal((await call('Read', { file_path: file })).isError, true);
      assert.equal((await call('Write', { file_path: file, content: 'x' })).isError, true);
    }
    assert.deepEqual(asked, []);
  });
});
