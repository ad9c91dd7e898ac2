// The version of Anthropic's API: which one reaches a provider, and who refuses what the client's version refuses.

import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, test, type TestContext } from 'node:test';

import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import { startGateway, startSimulated } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';

const [old, latest] = ['2023-06-01', '2026-10-21'];

interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

function bodyOf(path: string): object {
  const usage = { prompt_tokens: 3, completion_tokens: 2, input_tokens: 3, output_tokens: 2 };
  if (path.includes('/chat/')) {
    const choice = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
    return { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices: [choice], usage };
  }
  const content = [{ type: 'text', text: 'Hello' }];
  return { id: 'msg', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', usage };
}

/** A gateway before a server that accepts everything, in every format. */
async function startRecording(context: TestContext, more: readonly Partial<ProviderSettings>[] = []) {
  const seen: Seen[] = [];
  const { origin } = await startHttpServer(context, (request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      seen.push({ path, headers: request.headers, body: text === '' ? {} : JSON.parse(text) });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(path.endsWith('count_tokens') ? { input_tokens: 7 } : bodyOf(path)));
    });
  });
  const providers = [
    { name: 'anthropic', type: 'anthropic' },
    { name: 'openai', type: 'openai' },
    { name: 'compatible', type: 'anthropic-compatible' },
    { name: 'minimax', type: 'minimax' },
    { name: 'aws', type: 'bedrock-anthropic', region: 'us-east-1' },
    { name: 'simulated', type: 'simulated' },
    ...more,
  ].map((provider) => ({ apiKey: 'k', baseUrl: provider.type === 'openai' ? `${origin}/v1` : origin, ...provider }));
  const gateway = await startGateway(context, origin, { gateway: { providers: providers as ProviderSettings[] } });
  const send = (
    model: string,
    change: object = {},
    headers: Record<string, string> = { 'anthropic-version': latest },
  ) =>
    gateway.post(
      '/v1/messages',
      { model, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }], ...change },
      headers,
    );
  return { ...gateway, seen, send };
}

async function errorOf(response: Response): Promise<{ type: string; message: string }> {
  const body = (await response.json()) as { type: string; error: { type: string; message: string } };
  assert.deepEqual([response.status, body.type], [400, 'error'], JSON.stringify(body));
  return body.error;
}

const cited = { type: 'text', text: 'So', citations: [{ type: 'char_location', cited_text: 'x' }] };
const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Doc' } };
const messages = (role: string, block: object) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: role === 'assistant' ? [block] : 'Yes' },
    { role: 'user', content: role === 'user' ? [block] : 'Go on' },
  ],
});
const refused: readonly (readonly [name: string, change: object, text: RegExp])[] = [
  ['temperature', { temperature: 1 }, /^temperature: Extra inputs are not permitted/],
  ['top_p', { top_p: 0.9 }, /^top_p: Extra inputs are not permitted/],
  ['top_k', { top_k: 5 }, /^top_k: Extra inputs are not permitted/],
  ['a document of the assistant', messages('assistant', document), /^messages\.1\.content\.0: `document`/],
  ['citations of the user', messages('user', cited), /^messages\.2\.content\.0: .*`citations`/],
  [
    'citations in a search result',
    messages('user', { type: 'search_result', source: 's', title: 't', content: [cited] }),
    /^messages\.2\.content\.0: .*`citations`/,
  ],
];

describe('the version that reaches a provider', () => {
  test('is that of the client, if the provider has it', async (context) => {
    const { send, seen } = await startRecording(context);
    for (const version of [old, latest]) {
      for (const model of ['anthropic/m', 'compatible/m']) {
        assert.equal((await send(model, {}, { 'anthropic-version': version })).status, 200);
        assert.equal(seen.at(-1)?.headers['anthropic-version'], version, model);
      }
    }
  });

  test('is otherwise the newest that is not newer, and the first for a client without one', async (context) => {
    const { send, seen, post } = await startRecording(context);
    for (const [asked, expected] of [
      ['2027-01-01', latest],
      ['2025-01-01', old],
      ['2022-01-01', old],
    ] as const) {
      await send('anthropic/m', {}, { 'anthropic-version': asked });
      assert.equal(seen.at(-1)?.headers['anthropic-version'], expected, asked);
    }
    await send('anthropic/m', {}, {});
    assert.equal(seen.at(-1)?.headers['anthropic-version'], old);
    await post('/v1/chat/completions', { model: 'anthropic/m', messages: [{ role: 'user', content: 'Hi' }] });
    assert.equal(seen.at(-1)?.headers['anthropic-version'], old);
    await send('minimax/m');
    assert.equal(seen.at(-1)?.headers['anthropic-version'], old);
  });

  test('is that of the configuration, whatever the client sends', async (context) => {
    const fixed = { name: 'fixed', type: 'anthropic', headers: { 'Anthropic-Version': old } };
    const { send, seen } = await startRecording(context, [fixed]);
    assert.equal((await send('fixed/m')).status, 200);
    assert.equal(seen.at(-1)?.headers['anthropic-version'], old);
    await errorOf(await send('fixed/m', { temperature: 1 }));
  });

  test('is that of Amazon in its own format', async (context) => {
    const { send, seen } = await startRecording(context);
    await send('aws/anthropic.claude-opus-5');
    assert.equal(seen.at(-1)?.headers['anthropic-version'], undefined);
    assert.equal(seen.at(-1)?.body['anthropic_version'], 'bedrock-2023-05-31');
  });

  test('also reaches the route that counts tokens', async (context) => {
    const { post, seen } = await startRecording(context);
    const body = { model: 'anthropic/m', messages: [{ role: 'user', content: 'Hi' }] };
    const response = await post('/v1/messages/count_tokens', body, { 'anthropic-version': latest });
    assert.deepEqual([response.status, await response.json()], [200, { input_tokens: 7 }]);
    assert.deepEqual(
      [seen.at(-1)?.path, seen.at(-1)?.headers['anthropic-version']],
      ['/v1/messages/count_tokens', latest],
    );
  });

  test('also reaches a forwarded route', async (context) => {
    const { url, seen } = await startRecording(context);
    for (const [asked, expected] of [
      [latest, latest],
      [old, old],
      ['2027-01-01', latest],
    ] as const) {
      const headers = { 'anthropic-version': asked, 'x-simple-agents-provider': 'anthropic' };
      assert.equal((await fetch(`${url}/v1/files`, { headers })).status, 200);
      assert.deepEqual([seen.at(-1)?.path, seen.at(-1)?.headers['anthropic-version']], ['/v1/files', expected]);
    }
  });

  test('is never malformed', async (context) => {
    const { send, seen, post } = await startRecording(context);
    for (const version of ['latest', '2026-10', '2026-10-21, 2026-10-21', '2026-10-21x', '']) {
      const headers = { 'anthropic-version': version };
      const { type, message } = await errorOf(await send('anthropic/m', {}, headers));
      assert.deepEqual([type, message.startsWith('anthropic-version: ')], ['invalid_request_error', true], message);
      const count = { model: 'anthropic/m', messages: [{ role: 'user', content: 'Hi' }] };
      await errorOf(await post('/v1/messages/count_tokens', count, headers));
      assert.equal((await post('/v1/moderations', { input: 'x' }, headers)).status, 400);
    }
    assert.equal(seen.length, 0);
  });
});

describe('what the version refuses', () => {
  for (const [name, change, expected] of refused) {
    test(`${name}: is refused by the vendor in its own format, and by the gateway everywhere else`, async (context) => {
      const { send, seen } = await startRecording(context);
      for (const model of ['anthropic/m', 'compatible/m']) {
        assert.equal((await send(model, change)).status, 200, 'the upstream accepts everything');
        assert.equal(seen.at(-1)?.headers['anthropic-version'], latest);
      }
      const before = seen.length;
      for (const model of ['openai/m', 'minimax/m', 'aws/anthropic.claude-haiku-4-5', 'simulated/m']) {
        const { type, message } = await errorOf(await send(model, change));
        assert.equal(type, 'invalid_request_error');
        assert.match(message, expected, model);
        assert.match(message, /API version 2026-10-21/);
      }
      assert.equal(seen.length, before);
    });

    test(`${name}: is accepted in an earlier version`, async (context) => {
      const { send } = await startRecording(context);
      for (const model of ['anthropic/m', 'minimax/m', 'aws/anthropic.claude-haiku-4-5']) {
        assert.equal((await send(model, change, { 'anthropic-version': old })).status, 200, model);
      }
    });
  }

  test('is also refused where tokens are counted', async (context) => {
    const { post } = await startRecording(context);
    for (const model of ['openai/m', 'minimax/m', 'simulated/m']) {
      const body = { model, ...messages('assistant', document) };
      await errorOf(await post('/v1/messages/count_tokens', body, { 'anthropic-version': latest }));
      assert.equal((await post('/v1/messages/count_tokens', body, { 'anthropic-version': old })).status, 200);
    }
  });

  test('a vendor that refuses to count is not replaced by an estimate', async (context) => {
    const { url: origin } = await startSimulated(context);
    const { post } = await startGateway(context, origin);
    const body = { model: 'anthropic/m', ...messages('assistant', document) };
    const { message } = await errorOf(await post('/v1/messages/count_tokens', body, { 'anthropic-version': latest }));
    assert.match(message, /^messages\.1\.content\.0: `document`/);
  });

  test('is accepted with rules = false', async (context) => {
    const { send } = await startRecording(context, [{ name: 'free', type: 'openai', rules: false }]);
    assert.equal((await send('free/m', { temperature: 0.5 })).status, 200);
  });

  test('sends an alias to the target that judges the request itself', async (context) => {
    const aliases = { either: { targets: ['openai/m', 'anthropic/m'] } };
    const { url: origin } = await startSimulated(context);
    const gateway = await startGateway(context, origin, { gateway: { aliases } });
    const body = { model: 'either', max_tokens: 5, temperature: 1, messages: [{ role: 'user', content: 'Hi' }] };
    const response = await gateway.post('/v1/messages', body, { 'anthropic-version': latest });
    assert.equal(response.status, 400);
    assert.equal(response.headers.get('x-simple-agents-target'), 'anthropic');
    assert.equal((await errorOf(response)).message, 'temperature: Extra inputs are not permitted');
  });
});

describe('the official SDK', () => {
  test('gets the semantics of its version, from the vendor and across formats', async (context) => {
    const { url: origin } = await startSimulated(context);
    const { url } = await startGateway(context, origin);
    const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
    const ask = (model: string, more: object = {}) =>
      client.messages.create({ model, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }], ...more });
    for (const model of ['anthropic/claude-opus-5', 'openai/gpt-5']) {
      assert.equal((await ask(model)).type, 'message');
      await assert.rejects(ask(model, { temperature: 1 }), (error) => {
        assert.ok(error instanceof BadRequestError);
        assert.match(error.message, /temperature: Extra inputs are not permitted/);
        return true;
      });
    }
  });
});
