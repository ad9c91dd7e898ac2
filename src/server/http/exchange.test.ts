// How a response is sent: its bytes unchanged, and each header once.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { BodyMemory } from './body-memory.ts';
import { WorkTurns } from './work-turns.ts';
import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import { Exchange } from './exchange.ts';

const everyByte = Uint8Array.from({ length: 256 }, (_, value) => value);
const bodies: readonly (readonly [what: string, body: string | Uint8Array])[] = [
  ['text', 'é 東 🦊'],
  ['no text at all', ''],
  ['bytes', everyByte],
  ['a view of some of them', everyByte.subarray(100, 200)],
  ['more bytes than go out with the head', new Uint8Array(100_000).fill(0xe9)],
];

async function answerOf(body: string | Uint8Array): Promise<Response> {
  const server = createServer((request, response) => {
    const about = {
      wire: openaiChatServer,
      bodies: { memory: new BodyMemory(1000), turns: new WorkTurns() },
      onClose: () => undefined,
    };
    const exchange = new Exchange(request, response, about);
    exchange.headers['vary'] = 'origin';
    exchange.send(200, body, { 'content-type': 'x/y', 'vary': 'accept' });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      headers: { connection: 'close' },
    });
  } finally {
    server.close();
  }
}

for (const [what, body] of bodies) {
  test(`${what} arrives unchanged`, async () => {
    const answer = await answerOf(body);
    assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), new Uint8Array(Buffer.from(body as string)));
    assert.equal(answer.headers.get('content-length'), String(Buffer.from(body as string).length));
  });
}

test('the headers of a response replace the common ones', async () => {
  const { headers } = await answerOf('');
  assert.equal(headers.get('vary'), 'accept');
  assert.match(headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
});
