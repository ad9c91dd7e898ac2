// The engine that other languages run: what the conformance suite does not show, because the library has no such thing.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../../src/embed/index.ts';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';
import { startEngine, type EngineCaller } from '../support/engine-host.ts';

function resultOf(reply: Reply): unknown {
  assert.ok('result' in reply, JSON.stringify(reply));
  return reply.result;
}

/** The number of a client or a stream that was opened. */
function handleOf(reply: Reply, kind: 'client' | 'stream'): number {
  return (resultOf(reply) as Record<typeof kind, number>)[kind];
}

function errorOf(reply: Reply) {
  assert.ok('error' in reply, JSON.stringify(reply));
  return reply.error;
}

async function openClient(engine: EngineCaller, options: object = { provider: 'simulated' }): Promise<number> {
  return handleOf(await engine.call({ call: 'open-client', options }), 'client');
}

describe('the engine', () => {
  test('replies to texts that are not calls', async () => {
    const engine = startEngine();
    const texts = ['', '{', '[]', 'null', '{"call": "heal"}', '{"call": "constructor"}', '{"id": 1}'];
    for (const [index, text] of texts.entries()) engine.send(index, text);
    await new Promise(setImmediate);
    const ordered = engine.replies.toSorted((a, b) => a.id - b.id);
    const found = ordered.map((reply) => [reply.id, errorOf(reply).message]);
    assert.deepEqual(found, [
      [0, 'the call is not JSON'],
      [1, 'the call is not JSON'],
      [2, 'the call must be an object'],
      [3, 'the call must be an object'],
      [4, 'text: must be a string'],
      [5, 'there is no call "constructor"'],
      [6, 'there is no call undefined'],
    ]);
  });

  test('names handles that are not open', async () => {
    const engine = startEngine();
    for (const call of [
      { call: 'close-client', client: 3 },
      { call: 'complete', client: 3, input: 'Hello' },
      { call: 'read-stream', stream: 3 },
      { call: 'close-stream', stream: 3 },
    ] as const) {
      assert.match(errorOf(await engine.call(call)).message, /there is no (?:client|stream) 3; it may be closed/);
    }
  });

  test('refuses options that cannot cross the border', async () => {
    const engine = startEngine();
    const refused = [5, { transport: {} }, { observer: 1 }, { provider: { name: 'x' } }];
    for (const options of refused) {
      assert.equal(errorOf(await engine.call({ call: 'open-client', options })).kind, 'bad-request');
    }
    const healing = { call: 'heal', text: '{}', options: { strict: 'yes' } } as const;
    assert.match(errorOf(await engine.call(healing)).message, /strict.*must be true or false/);
  });

  test('replaces lone surrogates in its replies', async () => {
    const engine = startEngine();
    const reply = await engine.call({ call: 'heal', text: String.raw`["\ud800 a"]` });
    assert.deepEqual((resultOf(reply) as { value: unknown }).value, ['\ufffd a']);
  });

  test('cancels a call, a read and a stream, and closes the connection', async (context) => {
    const server = await createSimulateServer({ tokensPerSecond: 20 });
    context.after(() => server.close());
    const engine = startEngine();
    const client = await openClient(engine, {
      provider: 'openai',
      apiKey: 'k',
      baseUrl: `${server.url}/v1`,
      model: 'm',
    });
    const completing = engine.call({ call: 'complete', client, input: 'Count to 500' });
    await engine.call({ call: 'cancel', target: engine.lastId });
    assert.deepEqual(errorOf(await completing).kind, 'aborted');
    for (const ending of ['cancel', 'close'] as const) {
      const opened = await engine.call({ call: 'open-stream', client, input: 'Count to 500' });
      const stream = handleOf(opened, 'stream');
      resultOf(await engine.call({ call: 'read-stream', stream }));
      if (ending === 'cancel') {
        const reading = engine.call({ call: 'read-stream', stream });
        // The first reads may have been answered by text that had arrived.
        await engine.call({ call: 'cancel', target: engine.lastId });
        const reply = await reading;
        if ('error' in reply) assert.equal(reply.error.kind, 'aborted');
        else await engine.call({ call: 'close-stream', stream });
      } else resultOf(await engine.call({ call: 'close-stream', stream }));
      assert.match(errorOf(await engine.call({ call: 'read-stream', stream })).message, /there is no stream/);
    }
    resultOf(await engine.call({ call: 'close-client', client }));
  });

  test('reads a stream only when it is asked to', async (context) => {
    const server = await createSimulateServer();
    context.after(() => server.close());
    const engine = startEngine();
    const client = await openClient(engine, {
      provider: 'openai',
      apiKey: 'k',
      baseUrl: `${server.url}/v1`,
      model: 'm',
    });
    const stream = handleOf(await engine.call({ call: 'open-stream', client, input: 'Hello' }), 'stream');
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(server.requests.length, 0);
    const [first, second] = await Promise.all([
      engine.call({ call: 'read-stream', stream }),
      engine.call({ call: 'read-stream', stream }),
    ]);
    assert.ok('result' in first);
    assert.match(errorOf(second).message, /another call is reading it/);
  });

  test('reads keys from the environment of the host, and the configuration file', async (context) => {
    const server = await createSimulateServer();
    context.after(() => server.close());
    const engine = startEngine({ OPENAI_API_KEY: 'sk-from-env', OPENAI_BASE_URL: `${server.url}/v1` });
    const client = await openClient(engine, { provider: 'openai', model: 'm' });
    resultOf(await engine.call({ call: 'complete', client, input: 'Hello' }));
    // The log of the server hides the key.
    assert.match(String(server.requests.at(-1)?.headers['authorization']), /^Bearer /);
    const missing = await openClient(engine, { config: '/nowhere/simple-agents.toml' });
    const { kind, message } = errorOf(await engine.call({ call: 'complete', client: missing, input: 'Hello' }));
    assert.equal(kind, 'configuration');
    assert.match(message, /^\/nowhere\/simple-agents\.toml: /);
  });

  test('needs a schema for partial values', async () => {
    const engine = startEngine();
    const client = await openClient(engine);
    const opened = await engine.call({ call: 'open-stream', client, input: 'Hello', partials: true });
    assert.match(errorOf(opened).message, /partials: need a request with a schema/);
  });
});
