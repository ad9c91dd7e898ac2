// Streams of the Gemini format as Google's own clients read them, which do not skip comments: reports of cost and healing,
// silence, and bytes of a provider that are not as Google writes them.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test, type TestContext } from 'node:test';

import { parseScript } from '../../src/testing/model/script.ts';
import { ask, startBoth, startGateway, type GatewayTestOptions, type TestGateway } from '../support/gateway-server.ts';
import { readAsGoogleClients, textOf } from '../support/google-reader.ts';
import { startHttpServer } from '../support/server.ts';
import { done, role, say, stop, usage } from '../support/upstream.ts';

const part = (text: string): string => `{"candidates":[{"content":{"parts":[{"text":${JSON.stringify(text)}}]}}]}`;
const end =
  '{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}';

const ways = {
  'as Google sends it': [`data: ${part('Hel')}\r\n\r\n`, `data: ${part('lo')}\r\n\r\n`, `data: ${end}\r\n\r\n`],
  'with line feeds': [`data: ${part('Hel')}\n\n`, `data: ${part('lo')}\n\n`, `data: ${end}\n\n`],
  'with comments, names, no space and a terminator': [
    ': ping\n\n',
    `event: message\nid: 1\ndata:${part('Hel')}\n\n`,
    `: a comment\ndata: ${part('lo')}\n: another\n\n`,
    `data: ${end}\n\ndata: [DONE]\n\n`,
  ],
  'in several lines': [
    `data: ${part('Hel')}\r\n\r\n`,
    part('lo')
      .split(/(?<=\{)/)
      .map((line) => `data: ${line}\r\n`)
      .join('') + '\r\n',
    `data: ${end}\r\n\r\n`,
  ],
  'without a line end at the end': [`data: ${part('Hel')}\n\n`, `data: ${part('lo')}\n\n`, `data: ${end}`],
} as const;

const price = { input: 1, output: 2 };
const cost = 0.000007;
const prices = { 'google/m': price, 'openai/m': price };
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];

/** A gateway before a provider that sends this. */
async function startBefore(
  context: TestContext,
  send: (response: ServerResponse) => void | Promise<void>,
  options?: GatewayTestOptions,
): Promise<TestGateway> {
  const { origin } = await startHttpServer(context, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void send(response);
  });
  return startGateway(context, origin, { gateway: { prices }, ...options });
}

async function stream(gateway: TestGateway, model: string, more: object = {}): Promise<Response> {
  const response = await gateway.post(`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents, ...more });
  assert.equal(response.status, 200);
  return response;
}

async function sendAll(pieces: readonly string[], response: ServerResponse, isOneByOne: boolean): Promise<void> {
  for (const piece of isOneByOne ? pieces : [pieces.join('')]) {
    response.write(piece);
    await new Promise(setImmediate);
  }
  response.end();
}

describe('a stream that passes', () => {
  for (const [name, pieces] of Object.entries(ways)) {
    for (const isOneByOne of [true, false]) {
      test(`${name}, ${isOneByOne ? 'one by one' : 'at once'}: is read, with the cost in its last event`, async (context) => {
        const gateway = await startBefore(context, (response) => sendAll(pieces, response, isOneByOne));
        const chunks = readAsGoogleClients(await (await stream(gateway, 'google/m')).text());
        assert.equal(textOf(chunks), 'Hello');
        assert.deepEqual(
          chunks.map((chunk) => chunk['simpleAgents']),
          [undefined, undefined, { cost }],
        );
      });
    }
  }

  test('without a known price is unchanged', async (context) => {
    for (const name of ['as Google sends it', 'with line feeds'] as const) {
      const gateway = await startBefore(context, (response) => sendAll(ways[name], response, true));
      assert.equal(await (await stream(gateway, 'google/unpriced')).text(), ways[name].join(''));
    }
  });
});

test('a stream of another format has the cost in its last event', async (context) => {
  const gateway = await startBefore(context, (response) =>
    sendAll([role + say('Hello') + stop + usage + done], response, true),
  );
  const chunks = readAsGoogleClients(await (await stream(gateway, 'openai/m')).text());
  assert.equal(textOf(chunks), 'Hello');
  assert.deepEqual(chunks.at(-1)?.['simpleAgents'], { cost });
});

test('a healed stream says in its last event what was changed', async (context) => {
  const script = parseScript({ otherwise: 'reply', replies: [{ match: 'Hi', text: "{'name': 'Ada',}" }] });
  const gateway = await startBoth(context, script);
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: schema };
  for (const model of ['google/m', 'openai/m', 'anthropic/m']) {
    const chunks = readAsGoogleClients(await (await stream(gateway, model, { generationConfig })).text());
    assert.deepEqual(JSON.parse(textOf(chunks)), { name: 'Ada' });
    const report = chunks.at(-1)?.['simpleAgents'] as { healed?: string[]; confidence?: number } | undefined;
    assert.ok(report?.healed?.includes('fixed-quotes') && (report.confidence ?? 0) > 0, JSON.stringify(report));
  }
});

describe('silence', () => {
  for (const lineEnd of ['\n', '\r\n']) {
    test(`is broken by blank lines, before the first event and between events with ${JSON.stringify(lineEnd)}`, async (context) => {
      const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      const gateway = await startBefore(
        context,
        async (response) => {
          const send = (data: string): boolean => response.write(`data: ${data}${lineEnd}${lineEnd}`);
          response.flushHeaders();
          await steps[0].promise;
          send(part('Hel'));
          await steps[1].promise;
          send(part('lo'));
          send(end);
          response.end();
        },
        { keepAlive: 20 },
      );
      let text = '';
      for await (const chunk of (await stream(gateway, 'google/m')).body!) {
        text += Buffer.from(chunk).toString();
        steps[0].resolve();
        if (/Hel.*\r?\n\r?\n\r?\n\r?\n$/.test(text)) steps[1].resolve();
      }
      const chunks = readAsGoogleClients(text);
      assert.equal(textOf(chunks), 'Hello');
      assert.deepEqual(chunks.at(-1)?.['simpleAgents'], { cost });
    });
  }
});

test('an error in the middle of a stream is a frame with the line ends of the stream', async (context) => {
  const gateway = await startBefore(context, (response) => {
    response.write(ways['as Google sends it'][0]);
    response.end();
  });
  const chunks = readAsGoogleClients(await (await stream(gateway, 'google/m')).text());
  assert.equal(textOf(chunks), 'Hel');
  assert.match(JSON.stringify(chunks.at(-1)?.['error']), /ended/);
});

test('clients of other formats still get comments', async (context) => {
  const gateway = await startBefore(context, (response) =>
    sendAll([role + say('Hello') + stop + usage + done], response, true),
  );
  const response = await gateway.post('/v1/chat/completions', ask('openai/m', 'Hi', { stream: true }));
  assert.match(await response.text(), /^: x-simple-agents-cost: 0\.000007$/m);
});
