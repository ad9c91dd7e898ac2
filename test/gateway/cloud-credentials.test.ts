// Calls with cloud credentials over real HTTP: a token is fetched once, renewed ahead of its end and after a refusal, and
// no call fails meanwhile.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { createCredentialHost } from '../../src/config/credential-host.ts';
import { createGateway } from '../../src/node.ts';
import { text } from '../../src/core/message.ts';
import type { Transport } from '../../src/providers/remote.ts';
import { failsWith } from '../support/fails-with.ts';

const state = { tokens: 0, valid: '', calls: 0, refusals: 0, date: 0, isDown: false };
let server: Server;
let url: string;

before(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.url?.includes('oauth2') === true) issue(response);
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
after(() => server.close());
beforeEach(() => {
  Object.assign(state, { tokens: 0, valid: '', calls: 0, refusals: 0, date: Date.UTC(2026, 10, 18), isDown: false });
});

function issue(response: ServerResponse): void {
  if (state.isDown) return void response.writeHead(503).end('{}');
  state.valid = `eyJ-secret-token-${++state.tokens}`;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ 'access_token': state.valid, 'expires_in': 3600 }));
}

function answer({ headers, url: path }: IncomingMessage, response: ServerResponse): void {
  assert.equal(path, '/openai/v1/chat/completions');
  state.calls++;
  const isAllowed = headers['api-key'] === 'key' || headers.authorization === `Bearer ${state.valid}`;
  response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' });
  if (!isAllowed) {
    state.refusals++;
    return void response.end(JSON.stringify({ error: { message: `bad ${headers.authorization}` } }));
  }
  const message = { role: 'assistant', content: 'hi' };
  const choices = [{ index: 0, message, 'finish_reason': 'stop' }];
  return void response.end(JSON.stringify({ id: '1', model: 'm', choices, usage: {} }));
}

function open(apiKey?: string) {
  const env = {
    AZURE_TENANT_ID: 't',
    AZURE_CLIENT_ID: 'c',
    AZURE_CLIENT_SECRET: 's',
    AZURE_AUTHORITY_HOST: url,
  };
  const credentialHost = (transport: Transport) => ({ ...createCredentialHost(transport, env), now: () => state.date });
  const provider = { name: 'azure', type: 'azure-openai', baseUrl: url, ...(apiKey === undefined ? {} : { apiKey }) };
  return createGateway({ providers: [provider], retry: false }, { credentialHost });
}

const request = {
  model: 'azure/my-deployment',
  messages: [{ role: 'user', content: [text('hi')] }],
  stream: false,
} as const;

async function call(gateway: ReturnType<typeof open>): Promise<void> {
  const stream = await gateway.open(request, new AbortController().signal);
  for await (const _event of stream);
}

test('an API key is sent in its own header', async () => {
  const gateway = open('key');
  await call(gateway);
  assert.deepEqual([state.tokens, state.calls], [0, 1]);
  await gateway.close();
});

test('a token is fetched once for many calls, and renewed ahead of its end', async () => {
  const gateway = open();
  await Promise.all(Array.from({ length: 20 }, () => call(gateway)));
  assert.equal(state.tokens, 1);
  for (let minute = 0; minute < 300; minute++) {
    state.date += 60_000;
    // The old token stays valid until its end, as at the real service.
    const { valid } = state;
    await call(gateway);
    if (state.valid !== valid) await call(gateway);
  }
  assert.equal(state.tokens, 6);
  await gateway.close();
});

test('a token that was replaced is renewed, and the call succeeds', async () => {
  const gateway = open();
  await call(gateway);
  state.date += 60_000;
  state.valid = 'another';
  await call(gateway);
  assert.deepEqual([state.tokens, state.refusals], [2, 1]);
  await gateway.close();
});

test('a refusal that a new token does not help is one error, without the token', async () => {
  const gateway = open();
  await call(gateway);
  state.valid = 'another';
  await assert.rejects(call(gateway), (error: unknown) => {
    assert.doesNotMatch(String(error), /token-\d/);
    return failsWith('auth', /bad/, { target: 'azure' })(error);
  });
  await gateway.close();
});

test('an outage of the source fails only calls without a token', async () => {
  const gateway = open();
  await call(gateway);
  state.isDown = true;
  state.date += 3_400_000;
  await call(gateway);
  state.date += 3_400_000;
  await assert.rejects(call(gateway), failsWith('upstream', /Microsoft Entra gave no credential \(status 503\)/));
  state.isDown = false;
  await call(gateway);
  await gateway.close();
});
