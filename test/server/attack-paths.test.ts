// Model names, ids and paths with which a client tries to leave the folder of a provider's API, over real HTTP.

import assert from 'node:assert/strict';
import { request as sendRequest } from 'node:http';
import { test } from 'node:test';

import { ask, startBoth, startGateway } from '../support/gateway-server.ts';
import { readRequest, startHttpServer } from '../support/server.ts';

interface Refusal {
  readonly status: number | undefined;
  readonly body: string;
}

/** Sends the path as it is; `fetch` would normalize it. */
function send(url: string, path: string, method = 'GET', body?: string): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = sendRequest(url, { path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, body: text }));
    });
    sent.on('error', reject).end(body);
  });
}

const escapes = ['g/../../../v1/files', 'g/..', '..', 'g/%2e%2e/x', 'a\\..\\b', 'a//b', 'a\nb'];

test('a model name that leaves the folder of the API is 400 in every wire, and nothing is sent', async (context) => {
  const urls: string[] = [];
  const upstream = await startHttpServer(context, (request, response) => {
    urls.push(request.url ?? '');
    void readRequest(request).then(() => response.writeHead(404).end());
  });
  const common = { apiKey: 'upstream-key-123', baseUrl: `${upstream.origin}/api` };
  const providers = ['google', 'vertex', 'bedrock', 'bedrock-anthropic'].map((type) => ({
    ...common,
    name: type,
    type,
    region: 'eu-west-1',
  }));
  const { url, post } = await startGateway(context, upstream.origin, { gateway: { providers } });
  for (const { name } of providers) {
    for (const escape of escapes) {
      const model = `${name}/${escape}`;
      const path = `/v1beta/models/${encodeURIComponent(model)}`;
      const contents = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
      const refusals = [
        await send(url, `${path}:generateContent`, 'POST', contents),
        await send(url, `${path}:streamGenerateContent?alt=sse`, 'POST', contents),
        ...(name === 'bedrock-anthropic' ? [] : [await send(url, `${path}:countTokens`, 'POST', contents)]),
      ];
      for (const [route, body] of [
        ['/v1/chat/completions', ask(model, 'Hi')],
        ['/v1/messages', ask(model, 'Hi', { stream: true })],
        ['/v1/responses', { model, input: 'Hi' }],
        ...(name.startsWith('bedrock') ? [] : [['/v1/embeddings', { model, input: 'Hi' }] as const]),
      ] as const) {
        const response = await post(route, body);
        refusals.push({ status: response.status, body: await response.text() });
      }
      for (const { status, body } of refusals) {
        assert.equal(status, 400, `${model}: ${body}`);
        assert.match(body, /model: must not/);
      }
    }
  }
  assert.deepEqual(urls, []);
});

test('an id in a path that leaves its folder is 400, and nothing is sent', async (context) => {
  const { url, openai, upstream } = await startBoth(context);
  const { id } = await openai.conversations.create();
  const before = upstream.requests.length;
  for (const item of ['..', '.', '%2e%2e', '%252e%252e', '', '%2f', '..%2f..', '%5c', '%00', '%zz', 'a%0d%0ab']) {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await send(url, `/v1/conversations/${id}/items/${item}`, method);
      assert.equal(status, 400, item);
      assert.match(body, /item_id: /);
    }
    const { status, body } = await send(url, `/v1/files/${item}`);
    assert.equal(status, 400, item);
    assert.match(body, /path: /);
  }
  assert.equal(upstream.requests.length, before);
});
