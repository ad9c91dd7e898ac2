// A remote provider against real servers: its requests, and the error for each kind of failure.

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, readRequest, startHttpServer } from '../../test/support/server.ts';
import {
  answers,
  apiKey,
  done,
  eventsOf,
  failsTested,
  never,
  overloaded,
  providerFor,
  request,
  role,
  say,
  start,
  stop,
  streams,
  usage,
} from '../../test/support/upstream.ts';
import { assemble } from '../core/assembler.ts';
import type { ErrorKind } from '../core/error.ts';
import { text } from '../core/message.ts';
import { anthropicMessages } from '../wire/anthropic-messages/client.ts';
import { transportFor } from '../../test/support/transports.ts';
import type { RemoteOptions } from './remote.ts';

async function receive(context: TestContext, options: Partial<RemoteOptions>, asked = request, path = '') {
  const seen = Promise.withResolvers<{ incoming: IncomingMessage; body: string }>();
  const server = await startHttpServer(context, (incoming, response) => {
    void readRequest(incoming).then((body) => {
      seen.resolve({ incoming, body });
      response.writeHead(401).end();
    });
  });
  await assert.rejects(providerFor(context, server.origin + path, options).open(asked, never));
  const { incoming, body } = await seen.promise;
  return { url: incoming.url, method: incoming.method, headers: incoming.headers, body: JSON.parse(body) as object };
}

const openaiError = (error: object) => JSON.stringify({ error });

describe('a plain request over a transport that prefers streams', () => {
  const plain = { ...request, stream: false };

  test('is sent as a stream and returned complete', async (context) => {
    const seen: string[] = [];
    const server = await startHttpServer(context, (incoming, response) => {
      void readRequest(incoming).then((body) => {
        seen.push(body);
        return streams((written) => void written.end(role + say('Hel') + say('lo') + stop + usage + done))(
          incoming,
          response,
        );
      });
    });
    const provider = providerFor(context, server.origin, { transport: transportFor(context, 'fetch') });
    const stream = await provider.open(plain, never);
    assert.equal(stream.bytes, undefined);
    const { content, usage: spent } = assemble(await eventsOf(stream));
    assert.deepEqual([content, spent.output], [[text('Hello')], 2]);
    assert.equal((await stream.ended).type, 'complete');
    assert.equal((JSON.parse(seen[0] ?? '') as { stream: boolean }).stream, true);
  });

  test('that is cut off in the middle fails before any event is returned', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(role + say('Hel'), () => response.destroy())),
    );
    const provider = providerFor(context, server.origin, { transport: transportFor(context, 'fetch') });
    await assert.rejects(provider.open(plain, never), failsTested('network', /in the middle of the response/));
  });

  test('has the time-outs of a plain request: the total time counts, not silence', async (context) => {
    const server = await startHttpServer(
      context,
      streams(async (response) => {
        response.write(role + say('Hel'));
        await sleep(60);
        response.end(say('lo') + stop + done);
      }),
    );
    const transport = transportFor(context, 'fetch');
    const patient = providerFor(context, server.origin, { transport, timeouts: { firstToken: 10, idle: 10 } });
    assert.deepEqual(assemble(await eventsOf(await patient.open(plain, never))).content, [text('Hello')]);
    const hasty = providerFor(context, server.origin, { transport, timeouts: { plainTotal: 20 } });
    await assert.rejects(
      hasty.open(plain, never),
      failsTested('timeout', /no complete response arrived .* within 20 ms/),
    );
  });

  test('ends with an abort', async (context) => {
    const controller = new AbortController();
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(role + say('Hel'), () => controller.abort('why'))),
    );
    const provider = providerFor(context, server.origin, { transport: transportFor(context, 'fetch') });
    await assert.rejects(provider.open(plain, controller.signal), (reason) => reason === 'why');
    await server.allClosed();
  });
});

describe('a request', () => {
  test('goes to the wire’s path with key, version and user agent', async (context) => {
    const headers = { 'Anthropic-Version': '2023-06-01' };
    const options = { wire: anthropicMessages, auth: 'x-api-key', apiKey, headers } as const;
    const received = await receive(context, options);
    assert.equal(received.method, 'POST');
    assert.equal(received.url, '/v1/messages');
    assert.equal(received.headers['x-api-key'], apiKey);
    assert.equal(received.headers['authorization'], undefined);
    assert.equal(received.headers['anthropic-version'], '2023-06-01');
    assert.equal(received.headers['content-type'], 'application/json');
    assert.match(received.headers['user-agent'] ?? '', /^simple-agents\/\d+\.\d+\.\d+/);
    assert.deepEqual(received.body, anthropicMessages.encodeRequest(request).body);
  });

  test('has no auth header without a key', async (context) => {
    for (const auth of ['bearer', 'x-api-key', 'none'] as const) {
      const { headers } = await receive(context, { auth });
      assert.equal(headers['authorization'], undefined);
      assert.equal(headers['x-api-key'], undefined);
    }
  });

  test('sends the key in the vendor’s header', async (context) => {
    assert.equal((await receive(context, { apiKey })).headers['authorization'], `Bearer ${apiKey}`);
    const { headers } = await receive(context, { apiKey, auth: 'none' });
    assert.equal(headers['authorization'], undefined);
  });

  test('prefers the user’s headers to its own', async (context) => {
    const options = { apiKey, headers: { Authorization: 'Custom thing', 'User-Agent': 'mine' } };
    const { headers } = await receive(context, options);
    assert.equal(headers['authorization'], 'Custom thing');
    assert.equal(headers['user-agent'], 'mine');
  });

  test('requests an uncompressed stream, or a body in any encoding', async (context) => {
    const streamed = await receive(context, {});
    assert.equal(streamed.headers['accept-encoding'], 'identity');
    const plain = await receive(context, {}, { ...request, stream: false });
    assert.match(plain.headers['accept-encoding'] as string, /gzip/);
    assert.equal(plain.headers['accept'], 'application/json');
  });

  test('turns credentials in the base URL into a header', async (context) => {
    const server = await startHttpServer(context, (incoming, response) => {
      incoming.resume();
      const body = { error: { message: incoming.headers.authorization } };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const baseUrl = server.origin.replace('//', '//user:p%40ss@');
    const expected = failsTested('bad-request', /^Basic \[key\]$/);
    await assert.rejects(providerFor(context, baseUrl).open(request, never), expected);
  });

  test('is rejected early if a header cannot be sent', (context) => {
    assert.throws(
      () => providerFor(context, 'http://127.0.0.1', { apiKey: `${apiKey}\n` }),
      (error: Error) => !error.message.includes(apiKey) && /header authorization of tested/.test(error.message),
    );
  });

  test('is rejected early if the base URL is invalid', (context) => {
    assert.throws(() => providerFor(context, 'api.example.com/v1'), /base URL must be a complete URL/);
  });
});

describe('an error response', () => {
  const rows: readonly (readonly [status: number, body: string, kind: ErrorKind])[] = [
    [400, openaiError({ message: 'no', type: 'invalid_request_error' }), 'bad-request'],
    [400, openaiError({ message: 'no', code: 'context_length_exceeded' }), 'context-overflow'],
    [401, openaiError({ message: 'no', code: 'invalid_api_key' }), 'auth'],
    [402, openaiError({ message: 'no' }), 'quota'],
    [403, openaiError({ message: 'no' }), 'auth'],
    [404, openaiError({ message: 'no', code: 'model_not_found' }), 'not-found'],
    [408, openaiError({ message: 'no' }), 'timeout'],
    [422, JSON.stringify({ detail: 'no' }), 'bad-request'],
    [429, openaiError({ message: 'no', type: 'rate_limit_error' }), 'rate-limit'],
    [429, openaiError({ message: 'no', code: 'insufficient_quota' }), 'quota'],
    [500, openaiError({ message: 'no' }), 'upstream'],
    [502, openaiError({ message: 'no' }), 'upstream'],
    [503, openaiError({ message: 'no' }), 'overloaded'],
    [504, openaiError({ message: 'no' }), 'timeout'],
    [529, openaiError({ message: 'no' }), 'overloaded'],
  ];
  for (const [status, body, kind] of rows) {
    test(`with ${status} is ${kind}: ${body}`, async (context) => {
      const server = await startHttpServer(context, answers(status, body));
      await assert.rejects(
        providerFor(context, server.origin).open(request, never),
        failsTested(kind, /^no$/, { status }),
      );
    });
  }

  test('keeps the retry delay and the request id', async (context) => {
    const body = openaiError({ message: 'slow down', type: 'rate_limit_error', code: 'tokens' });
    const server = await startHttpServer(context, answers(429, body, { 'retry-after': '7', 'request-id': 'req_1' }));
    await assert.rejects(
      providerFor(context, server.origin).open(request, never),
      failsTested('rate-limit', /slow down/, { retryAfterMs: 7000, requestId: 'req_1', code: 'tokens' }),
    );
  });

  test('quotes the start of a body that is not JSON', async (context) => {
    const page = `<html><h1>502\n Bad Gateway</h1>${'x'.repeat(1000)}</html>`;
    const server = await startHttpServer(context, answers(502, page, { 'content-type': 'text/html' }));
    await assert.rejects(providerFor(context, server.origin).open(request, never), (error: Error) => {
      assert.ok(error.message.length < 260);
      return failsTested('upstream', /^the server responded with status 502: <html><h1>502 Bad Gateway/)(error);
    });
  });

  test('may have no body', async (context) => {
    const server = await startHttpServer(context, answers(500, ''));
    const opened = providerFor(context, server.origin).open(request, never);
    await assert.rejects(opened, failsTested('upstream', /status 500 and no body/));
  });

  test('is classified even if its body is cut off', async (context) => {
    const server = await startHttpServer(context, (incoming, response) => {
      incoming.resume();
      response.writeHead(401).write('{"error":');
      setTimeout(() => response.destroy(), 20);
    });
    const opened = providerFor(context, server.origin).open(request, never);
    await assert.rejects(opened, failsTested('auth', /status 401/, { status: 401 }));
  });

  test('is read only up to a limit', async (context) => {
    const server = await startHttpServer(context, (incoming, response) => {
      incoming.resume();
      response.writeHead(500);
      const piece = Buffer.alloc(64 * 1024, 'x');
      const flood = () => {
        while (response.write(piece));
      };
      response.on('drain', flood);
      flood();
    });
    const opened = providerFor(context, server.origin).open(request, never);
    await assert.rejects(opened, failsTested('upstream', /status 500/));
    await server.allClosed();
  });

  test('with a redirect names its location', async (context) => {
    const headers = { location: 'https://elsewhere.example/v1?key=hunter2' };
    const server = await startHttpServer(context, answers(308, '', headers));
    await assert.rejects(providerFor(context, server.origin).open(request, never), (error: Error) => {
      assert.doesNotMatch(error.message, /hunter2/);
      return failsTested('bad-response', /redirects to https:\/\/elsewhere.example\/v1; .*base URL/)(error);
    });
  });

  test('never contains the key', async (context) => {
    const bodies = [openaiError({ message: `bad key ${apiKey}!` }), `<p>bad key ${apiKey}!</p>`];
    for (const body of bodies) {
      const server = await startHttpServer(context, answers(401, body));
      const opened = providerFor(context, server.origin, { apiKey }).open(request, never);
      await assert.rejects(opened, failsTested('auth', /bad key \[key\]!/));
    }
  });

  test('does not contain a part of the key either', async (context) => {
    const server = await startHttpServer(context, answers(502, `${'x'.repeat(190)}${apiKey}`));
    await assert.rejects(providerFor(context, server.origin, { apiKey }).open(request, never), (error: Error) => {
      assert.doesNotMatch(error.message, /sk-/);
      return failsTested('upstream', /x\[key\]…$/)(error);
    });
  });

  test('of the connection also names the provider', async (context) => {
    const port = await findFreePort();
    const opened = providerFor(context, `http://127.0.0.1:${port}`).open(request, never);
    await assert.rejects(opened, failsTested('network', /connection refused/));
  });
});

describe('status 200 with', () => {
  test('an error as the first event', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.write(start + overloaded)),
    );
    const opened = providerFor(context, server.origin, { wire: anthropicMessages }).open(request, never);
    await assert.rejects(opened, failsTested('overloaded', /Overloaded/, { requestId: 'req_7' }));
    await server.allClosed();
  });

  test('an error as a plain body', async (context) => {
    const body = JSON.stringify({ error: { message: `no credit, ${apiKey}`, code: 'insufficient_quota' } });
    const server = await startHttpServer(context, answers(200, body));
    const opened = providerFor(context, server.origin, { apiKey }).open(request, never);
    await assert.rejects(opened, failsTested('quota', /no credit, \[key\]/));
  });

  test('an HTML page', async (context) => {
    const page = `<html>Sign in${' '.repeat(500)}${'x'.repeat(500)}</html>`;
    const server = await startHttpServer(context, answers(200, page, { 'content-type': 'text/html; charset=utf-8' }));
    await assert.rejects(providerFor(context, server.origin).open(request, never), (error: Error) => {
      assert.ok(error.message.length < 320);
      return failsTested('bad-response', /got text\/html; charset=utf-8: <html>Sign in x+…$/)(error);
    });
  });

  test('invalid JSON', async (context) => {
    const server = await startHttpServer(context, answers(200, '{"half":'));
    const opened = providerFor(context, server.origin).open(request, never);
    await assert.rejects(opened, failsTested('bad-response', /declared as JSON but is not valid: \{"half":/));
  });

  test('JSON of another kind', async (context) => {
    const server = await startHttpServer(context, answers(200, '[1]'));
    const opened = providerFor(context, server.origin, { wire: anthropicMessages }).open(request, never);
    await assert.rejects(opened, failsTested('bad-response', /./));
  });

  test('an empty stream', async (context) => {
    const server = await startHttpServer(
      context,
      streams((response) => void response.end()),
    );
    const opened = providerFor(context, server.origin).open(request, never);
    await assert.rejects(opened, failsTested('network', /cut/));
  });
});

test('an abort between the last byte of a response and its decoding ends the call', async (context) => {
  const controller = new AbortController();
  const reason = new Error('left');
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
  const bytes = new TextEncoder().encode(JSON.stringify({ id: 'a', model: 'm', choices }));
  const readAll = async (): Promise<Uint8Array> => {
    // After the reader has the bytes, and before the next turn of the event loop.
    setImmediate(() => assert.ok(controller.signal.aborted));
    queueMicrotask(() => queueMicrotask(() => controller.abort(reason)));
    return bytes;
  };
  const body = { readAll, [Symbol.asyncIterator]: () => assert.fail('it is read at once') };
  const headers = { 'content-type': 'application/json' };
  const transport = { send: async () => ({ status: 200, headers, body }), close: async () => undefined };
  const opened = providerFor(context, 'http://localhost', { transport }).open(request, controller.signal);
  await assert.rejects(opened, (error) => error === reason);
});
