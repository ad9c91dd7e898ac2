// Scripts from files: errors name the file and the field.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { loadScript } from './load-script.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'script-'));
});
after(() => rm(folder, { recursive: true }));

async function load(content: string): Promise<unknown> {
  await writeFile(join(folder, 'script.json'), content);
  return loadScript(join(folder, 'script.json'));
}

test('a script is loaded', async () => {
  assert.deepEqual(await load('{"replies":[{"text":"hi"}]}'), { replies: [{ text: 'hi' }] });
});

test('an invalid script is an error that names the file and the field', async () => {
  await assert.rejects(load('{"replies":[{"text":1}]}'), {
    kind: 'configuration',
    field: 'replies[0].text',
    message: /script\.json: replies\[0\]\.text: must be a string$/u,
  });
  await assert.rejects(load('{'), /script\.json: is not JSON: /u);
  await assert.rejects(loadScript(join(folder, 'other.json')), /other\.json: file not found$/u);
});
