// Several keys and one account at the provider: no key reaches what another stored there, by any route or field. A key that
// is alone, or has the scope `account`, uses everything.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';

import { forwardedRoutes } from '../../src/gateway/routing/forwarded-routes.ts';
import { routes } from '../../src/server/routes/routes.ts';
import type { GatewayKey, KeyScope } from '../../src/server/server.ts';
import { startGateway } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { openSocketClient } from '../support/socket-client.ts';

const keyNamed = (name: string, ...scopes: KeyScope[]): GatewayKey => ({
  name,
  hash: hash('sha256', `secret-of-${name}`, 'hex'),
  scopes,
});
const as = (name: string): Record<string, string> => ({ authorization: `Bearer secret-of-${name}` });

const two = [keyNamed('alice', 'call'), keyNamed('bob', 'call')];
const withOwner = [...two, keyNamed('owner', 'call', 'account')];
const alone = [keyNamed('alice', 'call'), keyNamed('prometheus', 'metrics')];

const items = [
  { type: 'reasoning', id: 'rs_of_alice', summary: [] },
  {
    type: 'message',
    id: 'msg_of_alice',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'A', annotations: [] }],
  },
];
const codeCall = {
  type: 'code_interpreter_call',
  id: 'ci_of_alice',
  status: 'completed',
  code: '1',
  container_id: 'cntr_of_alice',
  outputs: [],
};
const document = {
  id: 'resp_up',
  object: 'response',
  status: 'completed',
  model: 'm',
  output: [...items, codeCall],
  usage: null,
};

async function start(context: TestContext, keys: readonly GatewayKey[] = two) {
  const received: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const upstream = await startHttpServer(context, (request, response) => {
    const take = (body: Buffer): void => {
      const { url: path = '', headers } = request;
      received.push({ path, headers, body: body.toString() });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(path.startsWith('/v1/responses') ? document : { id: 'stored', data: [] }));
    };
    buffer(request).then(take, () => undefined);
  });
  const providers = [
    {
      name: 'openai',
      type: 'openai',
      wire: 'openai-responses' as const,
      apiKey: 'upstream-key',
      baseUrl: `${upstream.origin}/v1`,
    },
  ];
  const gateway = await startGateway(context, upstream.origin, { gateway: { providers }, keys });
  const call = async (method: string, path: string, name: string, body?: unknown, type = 'application/json') => {
    const headers = { ...as(name), ...(body === undefined ? {} : { 'content-type': type }) };
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const init = { method, headers, ...(text === undefined ? {} : { body: text }) };
    const response = await fetch(gateway.url + path, init);
    return { status: response.status, text: await response.text() };
  };
  const responseOf = (name: string, input: unknown, more: object = {}) =>
    call('POST', '/v1/responses', name, { model: 'openai/m', input, ...more });
  return { ...gateway, received, call, responseOf };
}

const storing = ['batches', 'containers', 'evals', 'files', 'fine_tuning', 'uploads', 'vector_stores', 'videos'];

describe('routes that store objects', () => {
  const requests = storing.flatMap((family) => [
    ['GET', `/v1/${family}`],
    ['POST', `/v1/${family}`],
    ['GET', `/v1/${family}/of_alice`],
    ['GET', `/v1/${family}/of_alice/content`],
    ['DELETE', `/v1/${family}/of_alice`],
  ]);

  test('are refused to keys that share the account, and open to the others', async (context) => {
    const { call, received } = await start(context, withOwner);
    for (const [method = '', path = ''] of requests) {
      const body = method === 'POST' ? { a: 1 } : undefined;
      const refused = await call(method, path, 'bob', body);
      assert.equal(refused.status, 403, `${method} ${path}`);
      assert.match(refused.text, /stored at the provider, whose account other keys share; give the key .*scope/);
      assert.equal(received.length, 0);
    }
    for (const [method = '', path = ''] of requests)
      assert.equal((await call(method, path, 'owner', method === 'POST' ? { a: 1 } : undefined)).status, 200);
    assert.equal(received.length, requests.length);
  });

  test('are open to the only key that calls models', async (context) => {
    const { call } = await start(context, alone);
    for (const [method = '', path = ''] of requests)
      assert.equal((await call(method, path, 'alice', method === 'POST' ? { a: 1 } : undefined)).status, 200);
  });

  test('of a family that is new are refused as well', async (context) => {
    const { call } = await start(context);
    const known = new Set(['audio', 'images', 'moderations', 'rerank', ...storing]);
    for (const family of forwardedRoutes) {
      for (const path of [`/v1/${family}/something_new`, `/v1/${family}`]) {
        if (path === '/v1/moderations' || path === '/v1/rerank') continue;
        assert.equal((await call('POST', path, 'bob', {})).status, 403, `${path} ${known.has(family)}`);
      }
    }
    for (const path of ['/v1/audio/voices', '/v1/images/generations/']) {
      assert.equal((await call('POST', path, 'bob', {})).status, 403, path);
    }
  });
});

function form(name: string): string {
  return `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n--B--\r\n`;
}

test('routes that store nothing are open, and what their bodies name is checked', async (context) => {
  const { call, received } = await start(context);
  const multipart = 'multipart/form-data; boundary=B';
  for (const path of ['/v1/images/edits', '/v1/images/generations', '/v1/audio/speech', '/v1/moderations']) {
    assert.equal((await call('POST', path, 'bob', { prompt: 'a', voice: 'alloy' })).status, 200, path);
    assert.equal((await call('POST', path, 'bob', form('prompt'), multipart)).status, 200, path);
    const before = received.length;
    assert.equal((await call('POST', path, 'bob', { images: [{ file_id: 'file-of-alice' }] })).status, 403);
    assert.equal((await call('POST', `${path}?file_id=file-of-alice`, 'bob', {})).status, 403);
    assert.equal((await call('POST', path, 'bob', { voice: { id: 'voice_of_alice' } })).status, 403);
    assert.equal((await call('POST', path, 'bob', form('file_id'), multipart)).status, 403);
    for (const type of ['application/octet-stream', 'application/x-www-form-urlencoded', 'text/plain'])
      assert.equal((await call('POST', path, 'bob', '{"file_id":"f"}', type)).status, 415);
    assert.equal(received.length, before);
  }
});

test('every route with a body refuses a reference, but those whose body stays here', async (context) => {
  const { call, received } = await start(context);
  const posts = routes.filter(({ method, access }) => method === 'POST' && access === 'call');
  assert.ok(posts.length > 20);
  // Everything below them begins with the signed id of an object.
  const signed = ['/v1/responses/', '/v1/conversations/'];
  for (const { path, isLocal } of posts) {
    if (signed.includes(path)) continue;
    const body = { model: 'openai/m', text: 'x', target: 'x', fault: {}, container: 'cntr_of_alice' };
    const target = /models\/$/i.test(path) ? `${path}openai/m:generateContent` : path;
    const { status } = await call('POST', target.endsWith('/') ? `${target}x` : target, 'bob', body);
    assert.equal(status === 403, isLocal !== true, `${target} ${status}`);
  }
  assert.equal(received.length, 0);
});

describe('the Responses format', () => {
  test('refuses items of other keys, and sends those of its own', async (context) => {
    const { responseOf, received } = await start(context);
    await responseOf('alice', 'Hello');
    for (const reference of [
      { type: 'item_reference', id: 'msg_of_alice' },
      { type: null, id: 'msg_of_alice' },
      { id: 'msg_of_alice' },
    ]) {
      const refused = await responseOf('bob', [reference]);
      assert.equal(refused.status, 400);
      assert.match(refused.text, /input\[0\]\.id: the item was not created with this key/);
      assert.equal((await responseOf('alice', [reference])).status, 200);
    }
    assert.equal(received.length, 4);
    assert.equal((await responseOf('bob', [{ type: 'image_generation_call', id: 'ig_of_alice' }])).status, 400);
    assert.equal(received.length, 4);
  });

  test('leaves the ids of complete items out that the key does not own', async (context) => {
    const { responseOf, received } = await start(context);
    await responseOf('alice', 'Hello');
    const sent = [
      { role: 'user', content: 'Hello' },
      ...items,
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAA' },
      { role: 'user', content: 'Go on' },
    ];
    for (const name of ['bob', 'alice']) assert.equal((await responseOf(name, sent)).status, 200);
    const [ofBob = '', ofAlice = ''] = received.slice(-2).map(({ body }) => body);
    assert.ok(!ofBob.includes('_of_alice') && !ofBob.includes('rs_2'), ofBob);
    assert.ok(ofBob.includes('"text":"A"') && ofBob.includes('gAAA'), ofBob);
    assert.ok(ofAlice.includes('rs_of_alice') && ofAlice.includes('msg_of_alice'), ofAlice);
  });

  test('sends what an own item names, and nothing else', async (context) => {
    const { responseOf, received } = await start(context);
    await responseOf('alice', 'Hello');
    assert.equal((await responseOf('alice', [codeCall])).status, 200);
    assert.ok(received.at(-1)?.body.includes('cntr_of_alice'));
    await responseOf('alice', [{ ...codeCall, container_id: 'cntr_of_bob' }]);
    assert.ok(!received.at(-1)?.body.includes('cntr_of_bob'));
    const before = received.length;
    assert.equal((await responseOf('bob', [codeCall])).status, 400);
    assert.equal((await responseOf('bob', [{ ...codeCall, id: undefined }])).status, 403);
    assert.equal((await responseOf('bob', { file_id: 'file_of_alice' })).status, 403);
    assert.equal(received.length, before);
  });

  test('refuses the same everywhere else', async (context) => {
    const { call, received, url } = await start(context);
    const input = [{ type: 'item_reference', id: 'msg_of_alice' }];
    const files = [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_of_alice' }] }];
    for (const path of ['/v1/responses/compact', '/v1/responses/input_tokens', '/v1/responses']) {
      assert.equal((await call('POST', path, 'bob', { model: 'openai/m', input })).status, 400, path);
      assert.equal((await call('POST', path, 'bob', { model: 'openai/m', input: files })).status, 403, path);
    }
    assert.equal((await call('POST', '/v1/conversations', 'bob', { items: input })).status, 400);
    assert.equal((await call('POST', '/v1/conversations', 'bob', { items: files })).status, 403);
    const raw = { model: 'openai/m', input: 'a', conversation: 'conv_of_alice' };
    assert.equal((await call('POST', '/v1/responses/compact', 'bob', raw)).status, 403);
    const { text } = await call('POST', '/v1/conversations', 'bob', {});
    const { id } = JSON.parse(text) as { id: string };
    assert.equal((await call('POST', `/v1/conversations/${id}/items`, 'bob', { items: input })).status, 400);
    assert.equal((await call('POST', `/v1/conversations/${id}/items`, 'bob', { items: files })).status, 403);
    assert.equal((await call('GET', `/v1/conversations/${id}/items`, 'alice')).status, 404);
    assert.equal(received.length, 1);
    const client = await openSocketClient(context, url, as('bob'));
    for (const given of [input, files]) {
      client.create({ model: 'openai/m', input: given });
      assert.equal((await client.next()).at(-1)?.type, 'error');
    }
    assert.equal(received.length, 1);
  });
});

test('a key that is alone sends references as they are', async (context) => {
  const { responseOf, received } = await start(context, alone);
  const input = [
    { type: 'item_reference', id: 'msg_1' },
    { role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] },
  ];
  assert.equal((await responseOf('alice', input)).status, 200);
  assert.ok(received[0]?.body.includes('msg_1') && received[0].body.includes('file-1'));
});

test('a key that is added while the gateway runs ends what the first could do', async (context) => {
  const { call, server } = await start(context, alone);
  assert.equal((await call('GET', '/v1/files', 'alice')).status, 200);
  server.update({ keys: two });
  assert.equal((await call('GET', '/v1/files', 'alice')).status, 403);
  server.update({ keys: [keyNamed('alice', 'call', 'account'), keyNamed('bob', 'call')] });
  assert.equal((await call('GET', '/v1/files', 'alice')).status, 200);
  assert.equal((await call('GET', '/v1/files', 'bob')).status, 403);
});

test('the same idempotency key of two gateway keys is not the same at the provider', async (context) => {
  const { url, received } = await start(context);
  const send = (name: string, value: string) =>
    fetch(`${url}/v1/images/generations`, {
      method: 'POST',
      headers: { ...as(name), 'content-type': 'application/json', 'idempotency-key': value },
      body: '{"prompt":"a"}',
    });
  for (const [name, value] of [
    ['alice', 'one'],
    ['alice', 'one'],
    ['alice', 'two'],
    ['bob', 'one'],
  ] as const)
    assert.equal((await send(name, value)).status, 200);
  const [first, again, other, ofBob] = received.map(({ headers }) => headers['idempotency-key']);
  assert.equal(first, again);
  assert.equal(new Set([first, other, ofBob, 'one', 'two']).size, 5);
  assert.match(String(first), /^[0-9a-f]{64}$/);
});
