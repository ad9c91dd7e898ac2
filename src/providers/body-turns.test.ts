// A body in turns of the event loop: how much one turn reads while everything is buffered, and that no byte is lost.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { never, say, start, begin, write, close, finish, frame, eventsOf } from '../../test/support/upstream.ts';
import type { Transport } from '../transport/transport.ts';
import { anthropicMessages } from '../wire/anthropic-messages/client.ts';
import { openaiChat } from '../wire/openai-chat/client.ts';
import { bytesPerTurn, inTurns } from './body-turns.ts';
import { forwardRequest } from './remote-forward.ts';
import { createRemoteProvider } from './remote.ts';

const encoder = new TextEncoder();

/** A body whose chunks are all there. */
async function* buffered(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Counts the turns of the event loop during `run`, and the most of what `read` says was done in one of them. */
async function watchTurns(run: () => Promise<unknown>, read: () => number): Promise<{ turns: number; most: number }> {
  let [turns, most, before] = [0, 0, read()];
  let isOver = false;
  const count = (): void => {
    most = Math.max(most, read() - before);
    before = read();
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await run();
  isOver = true;
  most = Math.max(most, read() - before);
  return { turns, most };
}

const noise = Uint8Array.from({ length: 3 * 1024 * 1024 + 7 }, (_, index) => (index * 31) % 251);

describe('a buffered body', () => {
  for (const size of [1000, 16 * 1024, bytesPerTurn, 1024 * 1024, noise.length]) {
    test(`in chunks of ${size} bytes is read in turns of at most ${bytesPerTurn} bytes, unchanged`, async () => {
      const parts: Uint8Array[] = [];
      let given = 0;
      const { turns, most } = await watchTurns(
        async () => {
          for await (const part of inTurns(buffered(noise, size))) {
            given += part.length;
            parts.push(part);
          }
        },
        () => given,
      );
      assert.deepEqual(Buffer.concat(parts), Buffer.from(noise));
      assert.ok(most <= bytesPerTurn, `${most} bytes in one turn`);
      assert.ok(turns >= Math.floor(noise.length / bytesPerTurn), `${turns} turns`);
    });
  }

  test('that is left closes what it reads', async () => {
    let isClosed = false;
    async function* body() {
      try {
        yield* buffered(noise, 1000);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of inTurns(body())) break;
    assert.ok(isClosed);
  });
});

/** Responds at once with everything. */
function instant(text: string, type = 'text/event-stream'): Transport {
  return {
    send: () =>
      Promise.resolve({
        status: 200,
        headers: { 'content-type': type },
        body: buffered(encoder.encode(text), 16 * 1024),
      }),
    close: () => Promise.resolve(),
  };
}

describe('a fast upstream leaves turns to others', () => {
  const words = 'word '.repeat(20);
  const anthropicStream = start + begin + write(words).repeat(20_000) + close + finish + frame('message_stop');
  const openaiStream = say(words).repeat(20_000) + say('').replace('null', '"stop"') + 'data: [DONE]\n\n';
  const request = { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] } as const;
  for (const [wire, text] of [
    [anthropicMessages, anthropicStream],
    [openaiChat, openaiStream],
  ] as const) {
    const provider = createRemoteProvider({
      name: 'fast',
      wire,
      baseUrl: 'http://127.0.0.1:9',
      transport: instant(text),
    });

    test(`${wire.name}, read as events`, async () => {
      let seen = 0;
      const { turns } = await watchTurns(
        async () => {
          const events = await eventsOf(await provider.open(request, never));
          seen = events.length;
        },
        () => 0,
      );
      assert.ok(seen > 20_000);
      assert.ok(turns >= Math.floor(text.length / bytesPerTurn), `${turns} turns`);
    });

    test(`${wire.name}, read as bytes`, async () => {
      let given = 0;
      const { turns, most } = await watchTurns(
        async () => {
          for await (const chunk of (await provider.open(request, never)).bytes!) given += chunk.length;
        },
        () => given,
      );
      assert.equal(given, encoder.encode(text).length);
      assert.ok(most <= bytesPerTurn, `${most} bytes in one turn`);
      assert.ok(turns >= Math.floor(text.length / bytesPerTurn), `${turns} turns`);
    });
  }

  test('a forwarded response', async () => {
    let given = 0;
    const options = { name: 'fast', wire: openaiChat, baseUrl: 'http://127.0.0.1:9', transport: instant(openaiStream) };
    const forwarded = { wire: 'openai-chat', method: 'GET', path: '/v1/files/f', query: '', headers: {} } as const;
    const { most } = await watchTurns(
      async () => {
        for await (const chunk of (await forwardRequest(options, forwarded, never)).body) given += chunk.length;
      },
      () => given,
    );
    assert.equal(given, encoder.encode(openaiStream).length);
    assert.ok(most <= bytesPerTurn, `${most} bytes in one turn`);
  });
});
