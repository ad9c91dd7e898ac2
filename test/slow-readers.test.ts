// Clients that take nothing, while the upstream would send without end: the gateway stops taking too, and keeps little.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canMeasure } from './gateway-process.ts';
import { readSlowly } from './slow-readers.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const mebibyte = 1024 * 1024;

/** Two or three reads of 64 KiB on their way through two sockets; beside them, a share of what the process itself grew by. */
const mostEach = (256 + 32) * 1024;
/** What the buffers of the system hold on the way. */
const mostWritten = 24 * mebibyte;

test('slow readers make the upstream wait', { skip: !canMeasure, timeout: 60_000 }, async (context) => {
  const readers = { count: 240, isSameWire: true, length: 64 * mebibyte, cwd: folder.path };
  const { memoryEach, writtenEach } = await readSlowly(context, readers);
  context.diagnostic(`${Math.round(memoryEach / 1024)} KiB each; written ${Math.round(writtenEach / 1024)} KiB each`);
  assert.ok(writtenEach < mostWritten);
  assert.ok(memoryEach < mostEach, `${memoryEach} bytes each`);
});
