// Plays every cassette complete, split at every byte (the quick suite: at every seventh), scanned, and round-tripped
// through every server wire.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assemble } from '../../src/core/assembler.ts';
import type { Block } from '../../src/core/message.ts';
import {
  decodeChunks,
  encodeEvents,
  loadCassettes,
  loadGolden,
  openDecoder,
  receivedBody,
  scanChunks,
  wires,
  type Cassette,
} from '../support/cassette.ts';
import { places } from '../support/enumeration.ts';
import { normalise, type NormalBlock } from '../support/normalise.ts';

const cassettes = loadCassettes();

test('there are cassettes for every wire', () => {
  for (const { client } of wires) {
    assert.ok(cassettes.filter((cassette) => cassette.wire.client === client).length >= 20, client.name);
  }
});

for (const cassette of cassettes) {
  describe(cassette.name, () => {
    const golden = loadGolden(cassette);
    const { client, server } = cassette.wire;

    test('gives the golden events', () => {
      assert.deepEqual(decodeChunks(openDecoder(client), [cassette.bytes]), golden);
    });

    test('gives the same events byte by byte, and cut in two at every byte', () => {
      assert.deepEqual(decodeChunks(openDecoder(client), bytewise(cassette.bytes)), golden);
      for (const at of places(cassette.bytes.length, 7)) {
        const halves = [cassette.bytes.subarray(0, at), cassette.bytes.subarray(at)];
        assert.deepEqual(decodeChunks(openDecoder(client), halves), golden, `cut at byte ${at}`);
      }
    });

    test('cut after any byte, it never succeeds silently without a stop reason', () => {
      for (const at of places(cassette.bytes.length - 1, 7)) {
        const { events, failure } = decodeChunks(openDecoder(client), [cassette.bytes.subarray(0, at)]);
        const ended = events.at(-1)?.type === 'message-end';
        assert.equal(ended, failure === undefined, `ended at byte ${at}`);
      }
    });

    test('ends in the same way for the scanner', () => {
      for (const chunks of [[cassette.bytes], bytewise(cassette.bytes)]) {
        const scanner = scanChunks(client, chunks);
        const end = golden.events.find((event) => event.type === 'message-end');
        assert.equal(scanner.failure?.kind, golden.failure);
        assert.equal(scanner.done, end !== undefined);
        if (end === undefined) continue;
        assert.deepEqual(scanner.usage, end.usage);
        assert.equal(scanner.stopReason, end.stopReason);
      }
    });

    test('its request can be decoded and encoded again', () => {
      const request = server.decodeRequest(cassette.request);
      const body = receivedBody(client.encodeRequest({ ...request, model: request.model || 'm' }));
      assert.deepEqual(server.decodeRequest(body), request);
    });

    if (golden.failure === undefined) roundTrips(cassette);
  });
}

function roundTrips(cassette: Cassette): void {
  const { events } = loadGolden(cassette);
  for (const wire of wires) {
    const { client, server } = wire;
    test(`goes through ${client.name} and back`, () => {
      const again = decodeChunks(openDecoder(client), [encodeEvents(wire, events)]);
      assert.equal(again.failure, undefined);
      assert.deepEqual(normalise(again.events, [client.name]), normalise(events, [client.name]));
    });

    test(`goes through ${client.name} and back as a plain body`, () => {
      const message = assemble(events);
      const body: unknown = JSON.parse(JSON.stringify(server.encodeBody(message)));
      const whole = message.content.map((block, index) => ({ type: 'block-end' as const, index, block }));
      const again = normalise(client.decodeBody(body), [client.name]);
      assert.deepEqual(
        again.blocks.map(({ block }) => block),
        inBodyOrder(normalise(whole, [client.name]).blocks, client.name),
      );
      assert.equal(again.stopReason, normalise(events, [client.name]).stopReason);
    });
  }
}

/** A plain body of the chat wire has the reasoning before the text. */
function inBodyOrder(blocks: readonly NormalBlock[], wire: string): Block[] {
  const all = blocks.map(({ block }) => asBodyBlock(block, wire));
  if (wire !== 'openai-chat') return all;
  return [...all.filter(({ type }) => type === 'reasoning'), ...all.filter(({ type }) => type !== 'reasoning')];
}

/** In a plain body of these wires, arguments are always objects. */
function asBodyBlock(block: Block, wire: string): Block {
  const hasObjects = wire === 'anthropic-messages' || wire === 'bedrock-converse';
  if (block.type !== 'tool-call' || block.error === undefined || !hasObjects) return block;
  return { type: 'tool-call', id: block.id, name: block.name, input: { invalid_json: block.raw } };
}

function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
}
