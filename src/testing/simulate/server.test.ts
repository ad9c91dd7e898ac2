// The simulator's routes, its record of requests, scripts at run time, and closing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { createSimulateServer, type SimulateServer } from './server.ts';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const credentials = { 'x-api-key': 'sk-secret', authorization: 'Bearer sk-secret', 'anthropic-version': '2023-06-01' };
const question = { model: 'simulated', messages: [{ role: 'user', content: 'Count to 3' }] };

describe('the simulator', () => {
  let server: SimulateServer;
  before(async () => {
    server = await createSimulateServer();
  });
  after(() => server.close());

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = credentials,
  ): Promise<Reply> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body: text }) });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  test('speaks both wires, each with its own request id header', async () => {
    const anthropic = await call('POST', '/v1/messages', { ...question, max_tokens: 50 });
    assert.equal(anthropic.status, 200);
    assert.match(anthropic.headers.get('request-id') ?? '', /^req_/u);
    assert.deepEqual((anthropic.body as { content: unknown }).content, [{ type: 'text', text: '1, 2, 3' }]);
    const openai = await call('POST', '/v1/chat/completions', question);
    assert.match(openai.headers.get('x-request-id') ?? '', /^req_/u);
    const [choice] = (openai.body as { choices: { message: { content: string } }[] }).choices;
    assert.equal(choice?.message.content, '1, 2, 3');
  });

  test('counts tokens without max_tokens', async () => {
    const counted = await call('POST', '/v1/messages/count_tokens', question);
    assert.deepEqual(counted.body, { input_tokens: 6 });
    const refused = await call('POST', '/v1/messages/count_tokens', { ...question, max_tokens: 5 });
    assert.equal(refused.status, 400);
  });

  test('lists its models as either API does', async () => {
    const { body: anthropic } = await call('GET', '/v1/models');
    assert.equal((anthropic as { has_more: boolean }).has_more, false);
    const { body: openai } = await call('GET', '/v1/models', undefined, { authorization: 'Bearer x' });
    assert.equal((openai as { object: string }).object, 'list');
  });

  test('rejects unknown routes', async () => {
    assert.equal((await call('POST', '/v1/nothing', {})).status, 404);
    assert.equal((await call('GET', '/v1/messages')).status, 404);
    assert.equal((await call('GET', '/_simulate/nothing')).status, 404);
  });

  test('records requests in order, with credentials masked', async () => {
    await call('DELETE', '/_simulate/requests');
    await call('POST', '/v1/chat/completions', question);
    await call('POST', '/v1/messages', 'no JSON');
    const { body } = await call('GET', '/_simulate/requests');
    const [first, second] = (
      body as { requests: { method: string; path: string; headers: Record<string, string>; body: unknown }[] }
    ).requests;
    assert.deepEqual([first?.method, first?.path, first?.body], ['POST', '/v1/chat/completions', question]);
    assert.deepEqual([second?.path, second?.body], ['/v1/messages', 'no JSON']);
    assert.equal(first?.headers['authorization'], 'Bearer ***');
    assert.equal(first?.headers['x-api-key'], '***');
    assert.doesNotMatch(JSON.stringify(body), /sk-secret/u);
    assert.equal(server.requests.length, 2);
  });

  test('records that a client disconnected', async () => {
    const controller = new AbortController();
    const headers = { 'content-type': 'application/json', authorization: 'Bearer sk', 'x-simulate-stall-at': '10' };
    const body = JSON.stringify({ ...question, stream: true });
    const { signal } = controller;
    await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body, signal });
    assert.equal(server.requests.at(-1)?.disconnected, undefined);
    controller.abort();
    while (server.requests.at(-1)?.disconnected !== true) await sleep(5);
  });

  test('accepts a new script while it runs, and rejects an invalid one naming the field', async () => {
    assert.equal((await call('PUT', '/_simulate/script', { replies: [{ text: 'scripted' }] })).status, 200);
    const answer = (): Promise<Reply> => call('POST', '/v1/messages', { ...question, max_tokens: 5 });
    assert.deepEqual(((await answer()).body as { content: unknown }).content, [{ type: 'text', text: 'scripted' }]);
    const exhausted = await answer();
    assert.equal(exhausted.status, 400);
    assert.match(JSON.stringify(exhausted.body), /used up/u);
    const wrong = await call('PUT', '/_simulate/script', { replies: [{ text: 1 }] });
    assert.equal(wrong.status, 400);
    assert.match(JSON.stringify(wrong.body), /replies\[0\]\.text: must be a string/u);
    assert.equal((await call('PUT', '/_simulate/script', '{')).status, 400);
    await call('DELETE', '/_simulate/script');
    assert.equal((await answer()).status, 200);
  });

  test('rejects a body larger than 32 MiB with 413', async () => {
    const body = `{"model":"m","pad":"${'x'.repeat(33 * 1024 * 1024)}"}`;
    const refused = await call('POST', '/v1/messages', body);
    assert.equal(refused.status, 413);
    assert.equal((refused.body as { error: { type: string } }).error.type, 'request_too_large');
  });

  test('requires a key by default', async () => {
    const open = await createSimulateServer({ requireKey: false });
    const response = await fetch(`${open.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(question) });
    assert.equal(response.status, 200);
    await open.close();
  });

  test('a port in use is a clear error', async () => {
    await assert.rejects(
      createSimulateServer({ port: server.port }),
      /the port is in use; choose another, or 0 for any free port/u,
    );
  });

  test('stops sending when the client disconnects', async () => {
    const slow = await createSimulateServer({ tokensPerSecond: 10 });
    const request = httpRequest(`${slow.url}/v1/chat/completions`, { method: 'POST', headers: credentials });
    request.end(JSON.stringify({ ...question, stream: true, messages: [{ role: 'user', content: 'Count to 1000' }] }));
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    await once(response, 'data');
    request.destroy();
    // Closing waits for all responses in progress, so it would hang if one continued.
    await slow.close();
  });
});
