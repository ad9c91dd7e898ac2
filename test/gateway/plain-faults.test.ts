// Faults of the first of two targets in a call that is not streamed, over real HTTP: the second target responds.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import { startHttpServer } from '../support/server.ts';
import { answers, errorFrame, never, readAll, request } from '../support/upstream.ts';
import { createGateway } from '../../src/node.ts';

const message = { role: 'assistant', content: 'Hello' };
const whole = JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message, 'finish_reason': 'stop' }] });
const overloaded = JSON.stringify({ error: { message: 'Overloaded', type: 'overloaded_error' } });

/** Announces the complete length and sends half. */
const cut: RequestListener = (incoming, response) => {
  incoming.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
  response.write(whole.slice(0, 40), () => setTimeout(() => response.destroy(), 10));
};

const faults: Readonly<Record<string, RequestListener>> = {
  'a failing server': answers(500, overloaded),
  'an overloaded one': answers(529, overloaded),
  'a rate limit with a lie': answers(429, overloaded, { 'retry-after': '50' }),
  'an error inside a 200': answers(200, overloaded),
  'an empty body': answers(200, ''),
  'an empty object': answers(200, '{}'),
  'no choices': answers(200, JSON.stringify({ id: 'c', model: 'm', choices: [] })),
  'null': answers(200, 'null'),
  'half a document': answers(200, whole.slice(0, 40)),
  'a body that is cut': cut,
  'a page': answers(200, '<h1>Welcome</h1>', { 'content-type': 'text/html' }),
  'no content type': answers(200, whole, { 'content-type': '' }),
  'a stream of an error': answers(200, errorFrame, { 'content-type': 'text/event-stream' }),
  'an empty stream': answers(200, '', { 'content-type': 'text/event-stream' }),
  'a redirect': answers(302, '', { location: 'https://example.com' }),
  'no content': answers(204, ''),
  'not modified': answers(304, ''),
  'too many codings': answers(200, whole, { 'content-encoding': 'gzip, gzip, gzip' }),
  'a coding that is not there': answers(200, whole, { 'content-encoding': 'gzip' }),
};

describe('a call that is not streamed falls back to the next target after', () => {
  for (const [name, listener] of Object.entries(faults)) {
    test(name, async (context) => {
      let asked = 0;
      const first = await startHttpServer(context, (incoming, response) => {
        asked++;
        listener(incoming, response);
      });
      const second = await startHttpServer(context, answers(200, whole));
      const providers = [first, second].map(({ origin }, ordinal) => {
        return { name: `p${ordinal}`, type: 'openai-compatible', model: 'm', baseUrl: `${origin}/v1` };
      });
      const gateway = createGateway({ providers, chains: [{ targets: ['p1/m'] }], retry: { initialBackoff: 1 } });
      context.after(() => gateway.close());
      const stream = await gateway.open({ ...request, model: '', stream: false }, never);
      assert.equal(stream.target, 'p1');
      assert.deepEqual(await readAll(stream), { words: 'Hello' });
      assert.ok(asked >= 1 && asked <= 3, `${asked} requests`);
    });
  }
});
