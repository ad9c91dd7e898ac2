// Keys and prompts are planted everywhere, and an upstream echoes what it receives. None of it may appear in a log, an
// error, a header or a metric.

import assert from 'node:assert/strict';
import crypto, { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { describe, mock, test, type TestContext } from 'node:test';

import { KeyRing } from '../../src/server/http/key-ring.ts';
import { ask, startGateway, upstreamWires, type UpstreamWire } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { begin, frame, say, start, write } from '../support/upstream.ts';

const upstreamKey = 'upstream-key';
const clientKey = 'client-canary-5d41402abc4b2a76';
const prompt = 'prompt-canary-9e107d9d372bb682';
const keys = [createHash('sha256').update(clientKey).digest('hex')];
const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;

type Echo = (response: ServerResponse, said: string, wire: UpstreamWire) => void;

const stream = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const beginning = (wire: UpstreamWire) => (wire === 'openai' ? say('Hi') : start + begin + write('Hi'));
const failure = (wire: UpstreamWire, said: string) =>
  wire === 'openai'
    ? `data: ${JSON.stringify({ error: { message: `bad key ${said}`, type: 'server_error', code: said } })}\n\n`
    : frame('error', { error: { type: 'api_error', message: `bad key ${said}` } });

const echoes: Readonly<Record<string, Echo>> = {
  'in a refusal': (response, said) =>
    void response
      .writeHead(401, json)
      .end(JSON.stringify({ error: { message: `Incorrect key ${said}`, type: 'invalid_request_error', code: said } })),
  'in a failure of text': (response, said) => void response.writeHead(500, { 'content-type': 'text/plain' }).end(said),
  'in a page': (response, said) => void response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${said}`),
  'in a type': (response, said) => void response.writeHead(200, { 'content-type': `text/${said}` }).end('x'),
  'in what is no JSON': (response, said) => void response.writeHead(200, json).end(`{"key": ${said}`),
  'in a redirect': (response, said) =>
    void response.writeHead(302, { location: `http://127.0.0.1:1/${said}?${said}` }).end(),
  'in headers': (response, said) =>
    void response
      .writeHead(429, {
        ...json,
        'x-request-id': said,
        'request-id': said,
        'x-own': said,
        'retry-after': said,
        'set-cookie': said,
      })
      .end('{}'),
  'in the first event': (response, said, wire) => void response.writeHead(200, stream).end(failure(wire, said)),
  'in a later event': (response, said, wire) =>
    void response.writeHead(200, stream).end(beginning(wire) + failure(wire, said)),
  'in half a later event': (response, said, wire) =>
    void response.writeHead(200, stream).end(beginning(wire) + failure(wire, said).slice(0, -2)),
  'in an event that is none': (response, said, wire) =>
    void response.writeHead(200, stream).end(`${beginning(wire)}data: {"x": ${said}\n\n`),
};

function sentKey({ headers }: IncomingMessage): string {
  return String(headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', ''));
}

interface Told {
  /** Everything that a client, an operator and a metrics scraper can see. */
  readonly text: string;
  readonly asked: number;
}

async function tell(context: TestContext, client: UpstreamWire, wire: UpstreamWire, echo: Echo): Promise<Told> {
  const lines: object[] = [];
  const note = (record: object) => void lines.push(record);
  let asked = 0;
  const upstream = await startHttpServer(context, (request, response) => {
    asked++;
    assert.equal(sentKey(request), upstreamKey);
    request.resume();
    echo(response, sentKey(request), wire);
  });
  const logger = { debug: note, info: note, warn: note, error: note };
  const gateway = await startGateway(context, upstream.origin, { keys, logger });
  const headers: Record<string, string> =
    client === 'openai' ? { authorization: `Bearer ${clientKey}` } : { 'x-api-key': clientKey };
  const shown: string[] = [];
  for (const isStream of [true, false]) {
    const body = ask(`${wire}/m`, prompt, { stream: isStream });
    const response = await gateway.post(`${paths[client]}?key=${clientKey}`, body, headers);
    shown.push(JSON.stringify([...response.headers]), await response.text());
  }
  shown.push(await (await fetch(`${gateway.url}/metrics`, { headers })).text());
  shown.push(await (await fetch(gateway.url, { headers })).text());
  return { text: shown.join('\n') + JSON.stringify(lines), asked };
}

describe('an upstream that echoes', () => {
  for (const [name, echo] of Object.entries(echoes)) {
    test(`${name} reveals no key and no prompt`, async (context) => {
      for (const client of upstreamWires) {
        for (const wire of upstreamWires) {
          // On the same wire, other content passes unread.
          if (name === 'in an event that is none' && client === wire) continue;
          const { text, asked } = await tell(context, client, wire, echo);
          assert.equal(asked, 2);
          for (const secret of [upstreamKey, clientKey, prompt]) {
            const at = text.indexOf(secret);
            assert.equal(at, -1, `${client} to ${wire}: …${text.slice(Math.max(0, at - 200), at + 60)}`);
          }
        }
      }
    });
  }
});

describe('keys', () => {
  test('are compared as digests in constant time, each with every known key', (context) => {
    const digests = ['a', 'b', 'c'].map((key) => createHash('sha256').update(key).digest('hex'));
    const ring = new KeyRing(digests);
    const compare = mock.method(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    context.after(() => {
      compare.mock.restore();
      syncBuiltinESMExports();
    });
    for (const key of ['a', 'b', 'c', 'd', '', 'a'.repeat(10_000)]) {
      const before = compare.mock.callCount();
      const isOpen = typeof ring.check({ authorization: `Bearer ${key}` }) === 'object';
      assert.equal(isOpen, ['a', 'b', 'c'].includes(key));
      // An empty credential is no key, so it is not compared.
      assert.equal(compare.mock.callCount() - before, key === '' ? 0 : digests.length, key);
    }
    for (const { arguments: compared } of compare.mock.calls) {
      for (const value of compared) assert.equal((value as Uint8Array).byteLength, 32);
    }
  });

  const none: readonly Readonly<Record<string, string>>[] = [
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer null' },
    { authorization: 'Bearer undefined' },
    { authorization: `Token ${clientKey}` },
    { authorization: `Basic ${Buffer.from(`:${clientKey}`).toString('base64')}` },
    { authorization: clientKey },
    { authorization: `Bearer ${clientKey},` },
    { authorization: `Bearer ${clientKey} ${clientKey}` },
    { authorization: `Bearer "${clientKey}"` },
    { authorization: `Bearer ${clientKey.toUpperCase()}` },
    { authorization: `Bearer ${keys[0]}` },
    { 'x-api-key': '' },
    { 'x-api-key': `Bearer ${clientKey}` },
    { 'x-api-key': keys[0] ?? '' },
    { 'x-api-key': `${clientKey}, ${clientKey}` },
    { 'authorization': `Bearer ${clientKey}`, 'x-api-key': '' },
    { 'authorization': 'Basic eDp5', 'x-api-key': clientKey },
    { 'api-key': clientKey },
    { 'proxy-authorization': `Bearer ${clientKey}` },
    { 'x-authorization': `Bearer ${clientKey}` },
    { 'cookie': `key=${clientKey}; authorization=Bearer ${clientKey}` },
    { 'x-original-authorization': `Bearer ${clientKey}` },
    { 'authorization_': `Bearer ${clientKey}` },
  ];
  const routes = [
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/messages'],
    ['POST', '/v1/messages/count_tokens'],
    ['POST', '/v1/heal'],
    ['GET', '/v1/models'],
    ['HEAD', '/v1/models'],
    ['GET', '/v1/models/m'],
    ['GET', '/metrics'],
  ] as const;

  test(`that are invalid, in ${none.length} forms, get 401 on every route`, async (context) => {
    let asked = 0;
    const upstream = await startHttpServer(context, (_request, response) => void (asked++, response.end()));
    for (const headers of none) {
      // A new gateway for each, because after ten wrong keys the status is 429.
      const { url } = await startGateway(context, upstream.origin, { keys });
      for (const [method, path] of routes) {
        const body = method === 'POST' ? { body: JSON.stringify(ask('openai/m', 'hi')) } : {};
        const response = await fetch(`${url}${path}?key=${clientKey}&api_key=${clientKey}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          ...body,
        });
        assert.equal(response.status, 401, `${method} ${path} ${JSON.stringify(headers)}`);
        assert.equal((await response.text()).includes(clientKey), false);
      }
    }
    assert.equal(asked, 0);
  });
});
