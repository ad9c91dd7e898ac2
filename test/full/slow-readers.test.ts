// A thousand clients that read nothing of a response of maximum length.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canMeasure } from '../support/gateway-process.ts';
import { readSlowly } from '../support/slow-readers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const mebibyte = 1024 * 1024;
const mostEach = 256 * 1024;
/** The bytes in the system's socket buffers. */
const mostWritten = 24 * mebibyte;

test('1,000 slow readers cost at most 256 KiB each', { skip: !canMeasure, timeout: 240_000 }, async (context) => {
  const readers = { count: 1000, isSameWire: true, length: 1024 * 1024, cwd: folder.path };
  const { memoryEach, writtenEach } = await readSlowly(context, readers);
  context.diagnostic(`${Math.round(memoryEach / 1024)} KiB each; written ${Math.round(writtenEach / 1024)} KiB each`);
  assert.ok(memoryEach <= mostEach, `${memoryEach} bytes each`);
});

test('the upstream waits for readers of another wire too', { skip: !canMeasure, timeout: 240_000 }, async (context) => {
  const readers = { count: 20, isSameWire: false, length: 64 * mebibyte, cwd: folder.path };
  const { memoryEach, writtenEach } = await readSlowly(context, readers);
  context.diagnostic(`${Math.round(memoryEach / 1024)} KiB each; written ${Math.round(writtenEach / 1024)} KiB each`);
  assert.ok(writtenEach < mostWritten);
  // The response so far is kept in memory, because its last event contains it completely.
  assert.ok(memoryEach < writtenEach + mebibyte / 2, `${memoryEach} bytes each`);
});

test('slow readers make the upstream wait', { skip: !canMeasure, timeout: 240_000 }, async (context) => {
  const readers = { count: 240, isSameWire: true, length: 64 * mebibyte, cwd: folder.path };
  const { memoryEach, writtenEach } = await readSlowly(context, readers);
  context.diagnostic(`${Math.round(memoryEach / 1024)} KiB each; written ${Math.round(writtenEach / 1024)} KiB each`);
  assert.ok(writtenEach < mostWritten);
  // Up to five reads of 64 KiB are in transit through two sockets, undici and the response.
  assert.ok(memoryEach < 384 * 1024, `${memoryEach} bytes each`);
});
