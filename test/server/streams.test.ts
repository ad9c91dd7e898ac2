// Streams through the gateway: bytes that pass unchanged, failures before and after the first byte, silence, slow
// readers. No failure is silent, and no buffer is unbounded.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import * as anthropic from '@anthropic-ai/sdk';
import * as openai from 'openai';

import type { Fault } from '../../src/testing/model/fault.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { createServer } from '../../src/server/server.ts';
import { ask, openSocket, startBoth, startGateway, startSimulated, upstreamWires } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { watchFetch, type WatchedFetch } from '../support/watched-fetch.ts';
import {
  answers,
  begin,
  chunk,
  done,
  errorFrame,
  role,
  say,
  start,
  stop,
  streams,
  usage,
  write,
} from '../support/upstream.ts';

const chat = '/v1/chat/completions';
const paths = { openai: chat, anthropic: '/v1/messages' } as const;
const twenty = Array.from({ length: 20 }, (_, index) => `word${index}`).join(' ');

async function read(
  url: string,
  path: string,
  body: object,
  { fetch }: Pick<WatchedFetch, 'fetch'> = globalThis,
): Promise<string> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'authorization': 'Bearer k',
      'x-api-key': 'k',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200);
  return response.text();
}

/** Reads with the official SDK. Returns the text and what was thrown. */
async function readWith(client: 'openai' | 'anthropic', context: TestContext, origin: string, model: string) {
  const gateway = await startGateway(context, origin);
  let words = '';
  try {
    if (client === 'openai') {
      const stream = await gateway.openai.chat.completions.create({
        model,
        stream: true,
        messages: [{ role: 'user', content: 'go' }],
      });
      for await (const part of stream) words += part.choices[0]?.delta.content ?? '';
    } else {
      const stream = gateway.anthropic.messages.stream({
        model,
        max_tokens: 99,
        messages: [{ role: 'user', content: 'go' }],
      });
      for await (const event of stream) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') words += event.delta.text;
      }
    }
    return { words };
  } catch (thrown) {
    return { words, thrown };
  }
}

const bodyFor = (model: string, stream: boolean) => JSON.stringify(ask(model, 'hi', { stream }));
const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

/** An upstream that reports when its client disconnects. */
async function watched(context: TestContext, script: Parameters<typeof streams>[0]) {
  const arrived = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const upstream = await startHttpServer(context, (request, response) => {
    response.on('close', () => gone.resolve());
    arrived.resolve();
    streams(script)(request, response);
  });
  return { origin: upstream.origin, arrived: arrived.promise, gone: gone.promise, count: upstream.connectionCount };
}

describe('the same wire on both sides', () => {
  for (const wire of upstreamWires) {
    test(`${wire}: the bytes are the upstream’s, however they are cut`, async (context) => {
      const upstream = await startSimulated(context);
      const gateway = await startGateway(context, upstream.url);
      const more = wire === 'openai' ? { stream_options: { include_usage: true } } : {};
      const body = (model: string) => ask(model, 'Say “ünïcödé” and count to 9', { stream: true, ...more });
      const direct = await read(upstream.url, paths[wire], body('m'));
      for (const chunkSize of [1, 7, 1000]) {
        const fault: Fault = { chunkSize };
        upstream.playScript(parseScript({ otherwise: 'reply', replies: [{ fault }] }));
        assert.equal(await read(gateway.url, paths[wire], body(`${wire}/m`)), direct);
      }
      const whole = ask('m', 'Count to 9');
      upstream.playScript(undefined);
      assert.equal(
        await read(gateway.url, paths[wire], { ...whole, model: `${wire}/m` }),
        await read(upstream.url, paths[wire], whole),
      );
    });
  }

  test('several choices pass, streamed and plain', async (context) => {
    const body = {
      id: 'c',
      model: 'm',
      choices: ['a', 'b'].map((content, index) => ({ index, message: { content } })),
    };
    const upstream = await startHttpServer(context, answers(200, JSON.stringify(body)));
    const gateway = await startGateway(context, upstream.origin);
    const answer = await gateway.openai.chat.completions.create({
      model: 'openai/m',
      n: 2,
      messages: [{ role: 'user', content: 'hi' }],
    });
    assert.deepEqual(
      answer.choices.map(({ message }) => message.content),
      ['a', 'b'],
    );
  });

  test('usage that was not requested is left out, and nothing else', async (context) => {
    const parts = [role, say('Hi'), stop, usage, done];
    const upstream = await startHttpServer(
      context,
      streams(async (response) => {
        for (const part of parts) {
          response.write(part.slice(0, 5));
          await sleep(2);
          response.write(part.slice(5));
        }
        response.end();
      }),
    );
    const gateway = await startGateway(context, upstream.origin);
    const plain = await read(gateway.url, chat, ask('openai/m', 'hi', { stream: true }));
    assert.equal(plain, [role, say('Hi'), stop, done].join(''));
  });

  test('listed headers of the upstream pass', async (context) => {
    const upstream = await startHttpServer(context, (_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-ratelimit-remaining-requests': '7',
        'anthropic-ratelimit-tokens-remaining': '9',
        'set-cookie': 'secret=1',
        'x-internal': 'secret',
        'request-id': 'up_1',
      });
      response.end(JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }));
    });
    const gateway = await startGateway(context, upstream.origin);
    const { headers } = await gateway.post(chat, ask('openai/m', 'hi'));
    assert.equal(headers.get('x-ratelimit-remaining-requests'), '7');
    assert.equal(headers.get('anthropic-ratelimit-tokens-remaining'), '9');
    assert.equal(headers.get('x-simple-agents-upstream-request-id'), 'up_1');
    assert.deepEqual([headers.get('set-cookie'), headers.get('x-internal')], [null, null]);
  });

  test('headers of a client do not reach the upstream', async (context) => {
    const gateway = await startBoth(context);
    await gateway.post(chat, ask('openai/m', 'hi'), {
      'authorization': 'Bearer client-key',
      'x-forwarded-for': '1.2.3.4',
      'cookie': 'a=b',
      'x-own': 'c',
    });
    const sent = gateway.upstream.requests[0]?.headers ?? {};
    assert.deepEqual(
      Object.keys(sent).filter((name) => /cookie|x-/.test(name)),
      [],
    );
    assert.equal(sent['authorization'], 'Bearer ***');
  });
});

describe('an upstream that fails', () => {
  const faults: Readonly<Record<string, Fault>> = {
    'cuts the connection': { cutAtByte: 700 },
    'ends too early': { endAtByte: 700 },
    'sends an error in the stream': { errorAfterEvents: 6, message: 'fell over' },
    'sends nonsense in the middle': { malformedSse: true },
  };
  for (const client of upstreamWires) {
    for (const wire of upstreamWires) {
      for (const [name, fault] of Object.entries(faults)) {
        test(`${client} client, ${wire} upstream that ${name}: text, then an error`, async (context) => {
          const script = parseScript({ replies: [{ text: twenty, fault: { chunkSize: 50, ...fault } }] });
          const upstream = await startSimulated(context, { script });
          const { words, thrown } = await readWith(client, context, upstream.url, `${wire}/m`);
          const isPassed = client === wire && fault.malformedSse === true;
          if (isPassed) return assert.ok(twenty.startsWith(words));
          assert.ok(words.length > 0 && words.length < twenty.length && twenty.startsWith(words), words);
          assert.ok(thrown instanceof openai.APIError || thrown instanceof anthropic.APIError, String(thrown));
          return undefined;
        });
      }
    }
  }

  for (const wire of upstreamWires) {
    test(`${wire}: an error inside a 200, before any content, is a status`, async (context) => {
      const fault = { errorAfterEvents: 0, message: 'inside' };
      const script = parseScript({ replies: [{ times: 4, text: 'x', fault }] });
      const gateway = await startBoth(context, script);
      for (const path of [chat, '/v1/messages']) {
        const response = await gateway.post(path, ask(`${wire}/m`, 'hi', { stream: true }));
        assert.ok(response.status >= 500);
        assert.match(await response.text(), /inside/);
      }
    });
  }

  test('an incomplete event is never sent', async (context) => {
    const upstream = await startHttpServer(
      context,
      streams((response) => {
        response.write(say('Hi') + say('there').slice(0, 30));
        setTimeout(() => response.destroy(), 30);
      }),
    );
    const gateway = await startGateway(context, upstream.origin);
    const text = await read(gateway.url, chat, ask('openai/m', 'hi', { stream: true }));
    assert.ok(text.startsWith(say('Hi')));
    for (const frame of text.split('\n\n').filter(Boolean)) JSON.parse(frame.replace('data: ', ''));
    assert.match(text, /"error":\{"message":"[^"]*in the middle of the response/);
  });

  test('an error event of the upstream is not repeated', async (context) => {
    const upstream = await startHttpServer(
      context,
      streams((response) => void response.end(say('Hi') + errorFrame)),
    );
    const gateway = await startGateway(context, upstream.origin);
    assert.equal(await read(gateway.url, chat, ask('openai/m', 'hi', { stream: true })), say('Hi') + errorFrame);
  });
});

describe('a client that disconnects', () => {
  const phases: Readonly<Record<string, { stream: boolean; script: Parameters<typeof streams>[0]; after: RegExp }>> = {
    'while it waits for the first token': { stream: true, script: () => undefined, after: /^/ },
    'while it waits for a whole answer': { stream: false, script: () => undefined, after: /^/ },
    'in the middle of a stream': { stream: true, script: (response) => void response.write(say('Hi')), after: /Hi/ },
  };
  for (const [phase, { stream, script, after }] of Object.entries(phases)) {
    test(`${phase}: the upstream connection is closed at once`, async (context) => {
      const { origin, arrived, gone } = await watched(context, script);
      const gateway = await startGateway(context, origin);
      for (const [path, model] of [
        [chat, 'openai/m'],
        ['/v1/messages', 'openai/m'],
      ] as const) {
        const socket = await openSocket(gateway.url);
        let received = '';
        socket.on('data', (data: Buffer) => (received += data.toString()));
        const sent = bodyFor(model, stream);
        socket.write(head(path, sent.length) + sent);
        await arrived;
        while (!after.test(received)) await once(socket, 'data');
        socket.destroy();
        await gone;
      }
      while (!gateway.events.some(({ type }) => type === 'call-end')) await sleep(2);
      assert.equal(gateway.events.find((event) => event.type === 'call-end')?.outcome, 'left');
    });
  }

  test('between two attempts: there is no retry', async (context) => {
    let asked = 0;
    const upstream = await startHttpServer(context, (_request, response) => {
      asked++;
      response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
    });
    const retry = { maxAttempts: 5, initialBackoff: 200, jitter: false };
    const gateway = await startGateway(context, upstream.origin, { gateway: { retry } });
    const socket = await openSocket(gateway.url);
    const sent = bodyFor('openai/m', true);
    socket.write(head(chat, sent.length) + sent);
    while (!gateway.events.some(({ type }) => type === 'retry-wait')) await sleep(2);
    socket.destroy();
    while (!gateway.events.some(({ type }) => type === 'call-end')) await sleep(2);
    assert.equal(gateway.events.find((event) => event.type === 'call-end')?.outcome, 'left');
    await sleep(250);
    assert.equal(asked, 1);
  });

  test('during the upload: no model is called', async (context) => {
    const { origin, count } = await watched(context, () => undefined);
    const gateway = await startGateway(context, origin);
    const socket = await openSocket(gateway.url);
    socket.write(head(chat, 1000) + '{"model":');
    await sleep(20);
    socket.destroy();
    await sleep(30);
    assert.equal(count(), 0);
    assert.equal((await fetch(`${gateway.url}/health`)).status, 200);
  });
});

describe('a slow reader', () => {
  for (const path of [chat, '/v1/messages']) {
    test(`${path}: the upstream waits with it`, async (context) => {
      const piece = say('x'.repeat(16_000));
      let written = 0;
      const ended = new AbortController();
      context.after(() => ended.abort());
      const upstream = await startHttpServer(
        context,
        streams(async (response) => {
          for (let count = 0; count < 4000 && !response.destroyed; count++) {
            written += piece.length;
            if (!response.write(piece)) await once(response, 'drain', { signal: ended.signal }).catch(() => undefined);
          }
        }),
      );
      const gateway = await startGateway(context, upstream.origin);
      const socket = await openSocket(gateway.url);
      const sent = JSON.stringify(ask('openai/m', 'hi', { stream: true }));
      socket.pause();
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`,
      );
      for (let before = -1; before !== written || before === 0; await sleep(100)) before = written;
      // The kernel buffers megabytes between three sockets; the whole stream would be 64.
      assert.ok(written < 24_000_000, `${written} bytes were read from the upstream without a reader`);
      socket.destroy();
    });
  }
});

describe('silence', () => {
  const keepAlive = 40;

  for (const path of [chat, '/v1/messages']) {
    test(`${path}: gets comments, before the first event and between events`, async (context) => {
      let client = watchFetch();
      const upstream = await startHttpServer(
        context,
        streams(async (response) => {
          await client.receives(/^: keep-alive\n\n/);
          response.write(say('Hi'));
          await client.receives(/Hi[^]*: keep-alive\n\n/);
          response.end(stop + done);
        }),
      );
      const gateway = await startGateway(context, upstream.origin, { keepAlive });
      const text = await read(gateway.url, path, ask('openai/m', 'hi', { stream: true }), client);
      assert.match(text, /^: keep-alive\n\n[^]*Hi[^]*: keep-alive\n\n[^]*stop/);
      client = watchFetch();
      const stream = await gateway.openai.withOptions({ fetch: client.fetch }).chat.completions.create({
        model: 'openai/m',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      });
      let words = '';
      for await (const part of stream) words += part.choices[0]?.delta.content ?? '';
      assert.equal(words, 'Hi');
    });
  }

  test('after which the response has begun makes a failure an event', async (context) => {
    const client = watchFetch();
    const upstream = await startHttpServer(context, (request, response) => {
      request.resume();
      void client.receives(/^: keep-alive\n\n/).then(() => {
        response.writeHead(429, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const gateway = await startGateway(context, upstream.origin, { keepAlive });
    const text = await read(gateway.url, '/v1/messages', ask('openai/m', 'hi', { stream: true }), client);
    assert.match(text, /^: keep-alive\n\n[^]*event: error\ndata: \{"type":"error","error":\{"type":"rate_limit_error"/);
  });

  test('comments do not disturb a client of an Anthropic stream', async (context) => {
    const client = watchFetch();
    const upstream = await startHttpServer(
      context,
      streams(async (response) => {
        response.write(start + begin + write('Hi'));
        await client.receives(/Hi[^]*: keep-alive\n\n/);
        response.end(write(' there') + chunk({}));
      }),
    );
    const gateway = await startGateway(context, upstream.origin, { keepAlive });
    const text = await read(gateway.url, '/v1/messages', ask('anthropic/m', 'hi', { stream: true }), client);
    assert.match(text, /Hi[^]*: keep-alive\n\n[^]* there/);
  });
});

test('a provider without bytes and without a configuration works too', async (context) => {
  const server = createServer({ provider: createSimulatedProvider(), port: 0, drain: 0 });
  const url = await server.listen();
  context.after(() => server.close());
  assert.equal(server.address, url);
  const text = await read(url, chat, ask('any', 'Count to 3', { stream: true }));
  assert.match(text, /"content":"1, "[^]*"content":"3"[^]*\[DONE\]/);
});
