// The bytes of messages in frames that the library itself writes, split anywhere.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';

import * as fc from 'fast-check';
import * as library from 'ws';

import { FrameMeter } from './frame-meter.ts';

interface FrameSender {
  send(data: Buffer, options: object, onSent: () => void): void;
  ping(data: Buffer, isMasked: boolean, onSent: () => void): void;
}

/** The types of the library leave it out. */
const { Sender } = library as unknown as { readonly Sender: new (stream: PassThrough) => FrameSender };

interface Piece {
  readonly size: number;
  readonly isLast: boolean;
  readonly hasPing: boolean;
}

/** The bytes of frames as a client sends them. */
function encode(pieces: readonly Piece[]): Buffer {
  const stream = new PassThrough();
  const sender = new Sender(stream);
  const written: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => written.push(chunk));
  for (const { size, isLast, hasPing } of pieces) {
    if (hasPing) sender.ping(Buffer.alloc(5), true, () => undefined);
    const options = { binary: false, compress: false, fin: isLast, mask: true };
    sender.send(Buffer.alloc(size), options, () => undefined);
  }
  return Buffer.concat(written);
}

const piece = fc.record({ size: fc.oneof(fc.nat(200), fc.nat(70_000)), isLast: fc.boolean(), hasPing: fc.boolean() });

test('counts the payload of messages and knows whether one is unfinished', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.array(fc.nat(1000)), (pieces, sizes) => {
      const bytes = encode(pieces);
      const meter = new FrameMeter();
      let counted = 0;
      let start = 0;
      for (const size of [...sizes, bytes.length]) {
        counted += meter.push(bytes.subarray(start, start + size));
        start += size;
      }
      assert.equal(
        counted,
        pieces.reduce((sum, { size }) => sum + size, 0),
      );
      assert.equal(meter.isOpen, pieces.at(-1)?.isLast === false);
    }),
    { numRuns: 60 },
  );
});

test('a message is unfinished from its first frame', () => {
  const bytes = encode([{ size: 300, isLast: true, hasPing: false }]);
  const meter = new FrameMeter();
  assert.equal(meter.push(bytes.subarray(0, 8)), 0);
  assert.equal(meter.isOpen, true);
  assert.equal(meter.push(bytes.subarray(8, 100)), 92);
  assert.equal(meter.isOpen, true);
  meter.push(bytes.subarray(100));
  assert.equal(meter.isOpen, false);
});
