// `GET /api/live` over HTTP: who may read it, what arrives, and that it does not delay a shutdown.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { LiveMessage } from '../../src/server/live/live-channel.ts';
import { startBoth } from '../support/gateway-server.ts';

async function* read(response: Response): AsyncGenerator<LiveMessage, void, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    const chunk = decoder.decode(bytes, { stream: true });
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) yield JSON.parse(frame.replace('data: ', '')) as LiveMessage;
  }
}

/** The ids of the next calls that arrive. */
async function nextCalls(messages: AsyncGenerator<LiveMessage>): Promise<string[]> {
  for await (const { calls = [] } of messages) if (calls.length > 0) return calls.map(({ id }) => id);
  return [];
}

const body = { model: 'openai/m', messages: [{ role: 'user', content: 'Count to 3' }] };

test('a call arrives with the id that its client got; a key without the scope metrics sees its own only', async (context) => {
  const keys = [
    { name: 'all', hash: hash('sha256', 'all'), scopes: ['call', 'metrics'] as const },
    { name: 'own', hash: hash('sha256', 'own'), scopes: ['call'] as const },
    { name: 'figures', hash: hash('sha256', 'figures'), scopes: ['metrics'] as const },
  ];
  const gateway = await startBoth(context, undefined, { keys });
  const { url } = gateway;
  const follow = async (key: string) => fetch(`${url}/api/live`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal((await fetch(`${url}/api/live`)).status, 401);
  assert.equal((await follow('wrong')).status, 401);
  assert.equal((await follow('figures')).status, 403);
  const all = read(await follow('all'));
  const own = read(await follow('own'));
  assert.deepEqual((await all.next()).value, { ticks: [], calls: [], breakers: {} });
  assert.deepEqual((await own.next()).value, { ticks: [], calls: [] });
  const call = async (key: string) => {
    const response = await gateway.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` });
    assert.equal(response.status, 200);
    await response.text();
    return response.headers.get('x-request-id');
  };
  const ids = [await call('all'), await call('own')];
  assert.deepEqual(await nextCalls(own), [ids[1]]);
  assert.deepEqual(await nextCalls(all), ids);
});

test('an open page does not delay the shutdown of the server', async (context) => {
  const { url, server } = await startBoth(context);
  const messages = read(await fetch(`${url}/api/live`));
  await messages.next();
  // Waits for calls in progress, of which there are none.
  await server.close({ drain: 60_000 });
  let count = 0;
  for await (const _message of messages) count++;
  assert.ok(count <= 1);
});
