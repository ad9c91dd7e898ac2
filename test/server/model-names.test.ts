// Names and paths of clients: patterns, a list of models, OpenRouter's plugins, and paths with a vendor's name.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Anthropic } from '@anthropic-ai/sdk';
import { OpenAI } from 'openai';

import { startGateway, startSimulated } from '../support/gateway-server.ts';

const messages = [{ role: 'user', content: 'Count to 3' }];

describe('a model name', () => {
  test('may match a pattern of the configuration', async (context) => {
    const simulated = await startSimulated(context);
    const aliases = { 'my-*': { targets: ['openai/real-*'] } };
    const { post } = await startGateway(context, simulated.url, { gateway: { aliases } });
    const response = await post('/v1/chat/completions', { model: 'my-model', messages });
    assert.equal(response.status, 200);
    assert.equal(((await response.json()) as { model: string }).model, 'real-model');
  });

  test('may be followed by others, which are called if it fails', async (context) => {
    const simulated = await startSimulated(context);
    const { post, events } = await startGateway(context, simulated.url);
    const body = { model: 'openai/unknown-model', models: ['openai/unknown-other', 'anthropic/good'], messages };
    const response = await post('/v1/chat/completions', body);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-simple-agents-target'), 'anthropic');
    assert.equal(events.filter(({ type }) => type === 'fallback').length, 2);
    const listed = await post('/v1/chat/completions', { models: ['openai/unknown-x', 'openai/good'], messages });
    assert.equal(listed.status, 200);
    const sent = JSON.stringify(simulated.requests.map(({ body: received }) => received));
    assert.doesNotMatch(sent, /"models"|fallbackModels/);
  });

  test('is found in the list of models if calls accept it, with what is known', async (context) => {
    const simulated = await startSimulated(context);
    const aliases = { 'my-*': { targets: ['openai/real-*'] }, fast: { targets: ['anthropic/quick'] } };
    const prices = { 'openai/real-model': { input: 1, output: 2 } };
    const { url } = await startGateway(context, simulated.url, { gateway: { aliases, prices } });
    const get = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, { headers });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const names = [
      'fast',
      'my-model',
      'openai/real-model',
      'openai/ft:gpt-5:team::id',
      'gemini-3-pro',
      'claude-opus-9',
    ];
    const google = { 'x-goog-api-client': 'google-genai-sdk/3.0' };
    for (const name of [...names, 'google/tunedModels/mine', 'tunedModels/mine']) {
      for (const written of [name, encodeURIComponent(name)]) {
        const openai = await get(`/v1/models/${written}`);
        assert.deepEqual([openai.status, openai.body['id']], [200, name]);
        const anthropic = await get(`/v1/models/${written}`, { 'anthropic-version': '2023-06-01' });
        assert.deepEqual([anthropic.body['type'], anthropic.body['id']], ['model', name]);
        const resource = name.startsWith('tunedModels/') ? name : `models/${name}`;
        for (const path of [`/v1beta/models/${written}`, `/v1/models/${written}`])
          assert.equal((await get(path, google)).body['name'], resource, path);
      }
    }
    assert.deepEqual((await get('/v1/models/my-model')).body['price'], { input: 1, output: 2 });
    assert.equal((await get('/v1beta/tunedModels/mine')).body['name'], 'tunedModels/mine');
    for (const path of ['/v1/models/nobody-has-it', '/v1beta/models/nobody/x', '/v1beta/models/nobody-has-it'])
      assert.equal((await get(path)).status, 404, path);
  });

  test('of a tuned model has its own path in Google’s format', async (context) => {
    const simulated = await startSimulated(context);
    const { post } = await startGateway(context, simulated.url);
    const body = { contents: [{ parts: [{ text: 'Count to 3' }] }] };
    for (const version of ['v1beta', 'v1']) {
      const response = await post(`/${version}/tunedModels/mine:generateContent`, body);
      assert.equal(response.status, 200);
      assert.equal(simulated.requests.at(-1)?.path, '/v1beta/tunedModels/mine:generateContent');
    }
    const wrong = await post('/v1beta/tunedModels/mine:generate', body);
    assert.deepEqual([wrong.status, /"status":"NOT_FOUND"/.test(await wrong.text())], [404, true]);
  });

  test('in a list must be known and a string, and all failing is an error that names them', async (context) => {
    const simulated = await startSimulated(context);
    const { post } = await startGateway(context, simulated.url);
    const statusOf = async (models: unknown) => (await post('/v1/chat/completions', { models, messages })).status;
    assert.equal(await statusOf(['openai/good', 7]), 400);
    assert.equal(await statusOf('openai/good'), 400);
    assert.equal(await statusOf(['']), 400);
    assert.equal(await statusOf(Array(11).fill('openai/a')), 400);
    assert.equal(await statusOf(['openai/good', 'nobody/x']), 404);
    const failed = await post('/v1/chat/completions', { models: ['openai/unknown-a', 'openai/unknown-b'], messages });
    assert.equal(failed.status, 404);
    assert.match(await failed.text(), /unknown-a.*unknown-b/s);
  });
});

describe('OpenRouter’s plugins', () => {
  test('accept healing, which the gateway does itself, and pass others on', async (context) => {
    const simulated = await startSimulated(context);
    const { post } = await startGateway(context, simulated.url);
    const plugins = [{ id: 'response-healing' }];
    assert.equal((await post('/v1/chat/completions', { model: 'openai/m', plugins, messages })).status, 200);
    // The simulated OpenAI rejects unknown fields, like the real one.
    const web = await post('/v1/chat/completions', {
      model: 'openai/m',
      plugins: [...plugins, { id: 'web' }],
      messages,
    });
    assert.equal(web.status, 400);
    assert.deepEqual((simulated.requests.at(-1)?.body as { plugins?: unknown } | undefined)?.plugins, [{ id: 'web' }]);
    assert.equal((await post('/v1/chat/completions', { model: 'openai/m', plugins: 'all', messages })).status, 400);
  });
});

describe('paths with a vendor’s name', () => {
  test('work with the official clients', async (context) => {
    const simulated = await startSimulated(context);
    const { url } = await startGateway(context, simulated.url);
    const openai = new OpenAI({ apiKey: 'k', baseURL: `${url}/openai/v1`, maxRetries: 0 });
    const chat = await openai.chat.completions.create({ model: 'openai/m', messages: messages as never });
    assert.equal(chat.choices.length, 1);
    const anthropic = new Anthropic({ apiKey: 'k', baseURL: `${url}/anthropic`, maxRetries: 0 });
    const message = await anthropic.messages.create({ model: 'openai/m', max_tokens: 9, messages: messages as never });
    assert.equal(message.type, 'message');
    const wrong = await fetch(`${url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(((await wrong.json()) as { type: string }).type, 'error');
    assert.equal((await fetch(`${url}/openai/v2/models`)).status, 404);
    assert.equal((await fetch(`${url}/openai/openai/v1/models`)).status, 404);
  });
});
