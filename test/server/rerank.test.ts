// `POST /v1/rerank` at Cohere, whose route is not below the address of its chat.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway } from '../support/gateway-server.ts';
import { readRequest, startHttpServer } from '../support/server.ts';

const ranked = { id: 'r', results: [{ index: 1, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } };

test('a request names the model, and reaches the route of Cohere', async (context) => {
  const received: unknown[] = [];
  const upstream = await startHttpServer(context, (request, response) => {
    void readRequest(request).then((body) => {
      received.push([request.url, request.headers.authorization, JSON.parse(body)]);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ranked));
    });
  });
  const baseUrls = { cohere: '/compatibility/v1', proxied: '/cohere/compatibility/v1/', plain: '/v1' };
  const providers = Object.entries(baseUrls).map(([name, path]) => ({
    name,
    type: 'cohere',
    apiKey: 'upstream-key',
    baseUrl: upstream.origin + path,
  }));
  const { post } = await startGateway(context, upstream.origin, { gateway: { providers } });
  const question = { query: 'capital', documents: ['Carson City', 'Washington'], top_n: 1 };
  for (const name of Object.keys(baseUrls)) {
    const response = await post('/v1/rerank', { model: `${name}/rerank-v3.5`, ...question });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), ranked);
  }
  const sent = { model: 'rerank-v3.5', ...question };
  assert.deepEqual(
    received,
    ['/v1/rerank', '/cohere/v1/rerank', '/v1/rerank'].map((path) => [path, 'Bearer upstream-key', sent]),
  );
});
