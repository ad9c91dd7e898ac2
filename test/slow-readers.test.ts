// Clients that take nothing, while the upstream would send without end: the gateway stops taking too, and keeps little.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canMeasure } from './gateway-process.ts';
import { readSlowly } from './slow-readers.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const mebibyte = 1024 * 1024;

/**
 * Three or four reads of 64 KiB on their way through two sockets, as it happens, and a share of what the process itself
 * grew by. The full run measures it against the bar, among a thousand.
 */
const mostEach = 384 * 1024;
/** What the buffers of the system hold on the way. */
const mostWritten = 24 * mebibyte;

test('slow readers make the upstream wait', { skip: !canMeasure, timeout: 60_000 }, async (context) => {
  const readers = { count: 80, isSameWire: true, length: 64 * mebibyte, cwd: folder.path };
  const { memoryEach, writtenEach } = await readSlowly(context, readers);
  context.diagnostic(`${Math.round(memoryEach / 1024)} KiB each; written ${Math.round(writtenEach / 1024)} KiB each`);
  assert.ok(writtenEach < mostWritten);
  assert.ok(memoryEach < mostEach, `${memoryEach} bytes each`);
});
