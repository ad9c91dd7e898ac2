// The file of the signing key: created once, for its owner only, and read by every server that starts.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { loadSigningKey } from './signing-key.ts';

async function folderOf(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signing-key-'));
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('servers that start together agree on one key, in a file of its owner only', async (context) => {
  const folder = await folderOf(context);
  const path = join(folder, 'ids.key');
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSigningKey(path)));
  for (const key of keys) assert.deepEqual(key, keys[0]);
  assert.equal(keys[0]?.length, 32);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder), ['ids.key']);
  assert.deepEqual(await loadSigningKey(path), keys[0]);
});

test('a file without a key is an error that names it and the fix, and never its content', async (context) => {
  const path = join(await folderOf(context), 'ids.key');
  for (const text of ['', 'abc', 'secret words '.repeat(9), 'a'.repeat(65)]) {
    await writeFile(path, text);
    await assert.rejects(loadSigningKey(path), (error: Error & { kind?: string }) => {
      assert.equal(error.kind, 'configuration');
      assert.match(error.message, /^signing_key_file: .*ids\.key must contain at least 64 hexadecimal digits/);
      return text === '' || !error.message.includes(text.trim());
    });
  }
});

test('a file that cannot be created or read is an error that names it', async (context) => {
  const folder = await folderOf(context);
  await assert.rejects(loadSigningKey(join(folder, 'missing', 'ids.key')), /ids\.key could not be created/);
  await assert.rejects(loadSigningKey(folder), /could not be read/);
});
