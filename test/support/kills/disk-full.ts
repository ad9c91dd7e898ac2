// Records a session on a 256 KiB disk at /mnt that fills up, is freed, and fills up again. Run it where the mount is. It
// reports success or fails.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../src/coder/session/recorder.ts';
import { loadLatestSession } from '../../../src/coder/session/store.ts';
import { text } from '../../../src/core/message.ts';

const folder = '/mnt';
const filler = '/mnt/filler';
const warnings: string[] = [];
const warn = (line: string): void => void warnings.push(line);
const session = openSession({ folder, cwd: folder, version: '1', model: 'm', warn });
let number = 0;

for (const size of [3_000, 5_000, 1]) {
  record(100);
  const told = warnings.length;
  fillUp();
  // One of these may still fit into the last block; the next is cut short or refused.
  for (let count = 0; count < 4; count++) record(size);
  if (size > 1)
    assert.match(warnings[told] ?? '', /cannot be written \((ENOSPC: the disk is full|only \d+ of \d+ bytes)/);
  rmSync(filler);
  record(100);
  if (size > 1) assert.match(warnings[told + 1] ?? '', /can be written again; no record is missing$/);
}
await session.close();

const { messages, transcript } = await loadLatestSession(folder);
assert.deepEqual(
  messages.map(({ content: [first] }) => (first?.type === 'text' ? Number.parseInt(first.text, 10) : undefined)),
  Array.from({ length: number }, (_, index) => index),
);
// A record that was cut short left its beginning; nothing was glued to it.
const lines = readFileSync(join(session.path, 'full.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '');
assert.equal(lines.length, transcript.records.length + transcript.problems.length);
assert.ok(transcript.problems.length <= 2);
process.stdout.write('all records are there\n');

function record(size: number): void {
  const role = number % 2 === 0 ? 'user' : 'assistant';
  session.onHistory({ type: 'append', message: { role, content: [text(`${number} ${'x'.repeat(size)}`)] } });
  number += 1;
}

function fillUp(): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
}
