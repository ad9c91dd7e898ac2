// The input history persists across sessions and is private.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { historyFile, historySize, loadHistory } from './history.ts';

const folder = temporaryFolder();

describe('history', () => {
  test('is appended to a file that only its owner can read, and is loaded newest first', async () => {
    const file = join(folder.path, 'state', 'chat-history');
    const history = await loadHistory(file);
    assert.deepEqual(history.entries, []);
    await history.append('one');
    await history.append('two\nlines');
    assert.deepEqual((await loadHistory(file)).entries, ['two lines', 'one']);
    if (process.platform === 'win32') return;
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder.path, 'state')).mode & 0o777, 0o700);
  });

  test('is truncated when it is long, and skips pasted documents', async () => {
    const lines = Array.from({ length: 2 * historySize + 1 }, (_, line) => String(line));
    const file = folder.write('long', `${lines.join('\n')}\n`);
    const history = await loadHistory(file);
    assert.equal(history.entries.length, historySize);
    assert.equal(history.entries[0], String(2 * historySize));
    await history.append('x'.repeat(20_000));
    assert.equal(readFileSync(file, 'utf8').split('\n').length, historySize + 1);
  });

  test('that cannot be written is not an error', async () => {
    const history = await loadHistory(join(folder.write('file', ''), 'below-a-file'));
    await history.append('one');
    assert.deepEqual(history.entries, []);
  });
});

test('the file is in the user’s state directory', () => {
  assert.equal(historyFile({ HOME: '/home/me' }, 'linux'), '/home/me/.local/state/simple-agents/chat-history');
  assert.equal(historyFile({ HOME: '/h', XDG_STATE_HOME: '/state' }, 'linux'), '/state/simple-agents/chat-history');
  assert.equal(historyFile({ HOME: '/h', XDG_STATE_HOME: 'odd' }, 'darwin')?.startsWith('/h/'), true);
  assert.equal(historyFile({}, 'linux'), undefined);
  assert.equal(historyFile({ HOME: '/h' }, 'win32'), undefined);
});
