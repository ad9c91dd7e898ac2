// Routes that pass to a provider: which provider, what it receives, what the client receives, and their limits.

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';

import { toFile } from 'openai';

import { startGateway, type GatewayTestOptions } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

type Answer = (response: ServerResponse, received: Received) => void;

const sendJson: Answer = (response, { url }) => {
  response.setHeader('content-type', 'application/json');
  response.setHeader('set-cookie', 'session=1');
  response.setHeader('x-ratelimit-remaining', '7');
  response.end(JSON.stringify({ url, data: [] }));
};

async function start(context: TestContext, options: GatewayTestOptions = {}, answer: Answer = sendJson) {
  const received: Received[] = [];
  const upstream = await startHttpServer(context, (request, response) => {
    const take = (body: Buffer): void => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body });
      answer(response, { method, url, headers, body });
    };
    // A request that the gateway ended.
    buffer(request).then(take, () => undefined);
  });
  const providers = [
    { name: 'openai', type: 'openai', apiKey: 'upstream-key', baseUrl: `${upstream.origin}/v1` },
    { name: 'anthropic', type: 'anthropic', apiKey: 'upstream-key', baseUrl: upstream.origin },
  ];
  const gateway = await startGateway(context, upstream.origin, { gateway: { providers }, ...options });
  return { ...gateway, received, upstream };
}

/** Sends the path as it is; `fetch` would normalize it. */
function rawStatus(url: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(url, { path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

describe('a forwarded route', () => {
  test('passes JSON to the provider of the model, with the provider’s key and model name', async (context) => {
    const keys = [hash('sha256', 'key-of-the-client')];
    const { post, received } = await start(context, { keys });
    const refused = await post('/v1/images/generations', { model: 'openai/gpt-image-1', prompt: 'a cat' });
    assert.equal(refused.status, 401);
    const headers = { 'authorization': 'Bearer key-of-the-client', 'cookie': 'a=b', 'x-other': 'c' };
    const response = await post('/v1/images/generations', { model: 'openai/gpt-image-1', prompt: 'a cat' }, headers);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-simple-agents-target'), 'openai');
    assert.equal(response.headers.get('x-ratelimit-remaining'), '7');
    assert.equal(response.headers.get('set-cookie'), null);
    const [sent] = received;
    assert.equal(received.length, 1);
    assert.equal(sent?.headers['authorization'], 'Bearer upstream-key');
    assert.equal(sent?.headers['cookie'] ?? sent?.headers['x-other'], undefined);
    assert.deepEqual(JSON.parse(String(sent?.body)), { model: 'gpt-image-1', prompt: 'a cat' });
    assert.doesNotMatch(JSON.stringify(sent?.headers), /key-of-the-client/);
  });

  test('passes multipart bodies and binary responses of the official client unchanged', async (context) => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
    const { openai, received } = await start(context, {}, (response, { url }) => {
      if (url.endsWith('/content')) return void response.end(bytes);
      return sendJson(response, received[0] as Received);
    });
    await openai.files.create({ file: await toFile(bytes, 'a.bin'), purpose: 'batch' });
    const [sent] = received;
    assert.match(sent?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
    assert.ok(sent?.body.includes(bytes));
    const content = await openai.files.content('file-1');
    assert.deepEqual(Buffer.from(await content.arrayBuffer()), bytes);
    assert.equal(received[1]?.url, '/v1/files/file-1/content');
    await openai.files.delete('file-1');
    assert.equal(received[2]?.method, 'DELETE');
    await openai.files.list({ limit: 3 });
    assert.equal(received[3]?.url, '/v1/files?limit=3');
  });

  test('goes to the named provider, else to the only one that has it', async (context) => {
    const { url, received } = await start(context);
    const get = (path: string, headers: Record<string, string> = {}) => fetch(url + path, { headers });
    assert.equal((await get('/v1/files')).status, 200);
    assert.equal((await get('/v1/files', { 'x-simple-agents-provider': 'openai' })).status, 200);
    const without = await get('/v1/files', { 'x-simple-agents-provider': 'anthropic' });
    assert.equal(without.status, 404);
    assert.match(await without.text(), /OpenAI's format, which the provider \\"anthropic\\" does not speak/);
    const unknown = await get('/v1/files', { 'x-simple-agents-provider': 'nobody' });
    assert.equal(unknown.status, 400);
    assert.doesNotMatch(await unknown.text(), /anthropic/);
    const none = await get('/v1/rerank');
    assert.equal(none.status, 404);
    assert.match(
      await none.text(),
      /no configured provider of OpenAI's format has the route \/v1\/rerank; add one .* type = \\"together\\"/,
    );
    assert.equal(received.length, 2);
  });

  test('goes only to a provider of the client’s own format', async (context) => {
    const both = await start(context);
    const file = await toFile(Buffer.from('data'), 'a.txt');
    const beta = ['files-api-2025-04-14'];
    await both.anthropic.beta.files.upload({ file, betas: beta });
    const [sent] = both.received;
    assert.equal(sent?.headers['x-api-key'], 'upstream-key');
    assert.equal(sent?.headers['anthropic-beta'], beta[0]);
    assert.match(String(sent?.headers['anthropic-version']), /^\d{4}-\d\d-\d\d$/);
    await fetch(`${both.url}/anthropic/v1/files`);
    assert.equal(both.received[1]?.headers['x-api-key'], 'upstream-key');
    await fetch(`${both.url}/openai/v1/files`);
    await both.openai.files.list();
    for (const { headers } of both.received.slice(2)) assert.equal(headers['authorization'], 'Bearer upstream-key');
    assert.equal(both.received.length, 4);
  });

  test('is 404 without a provider of the client’s own format, also for one that the client names', async (context) => {
    const provider = { name: 'openai', type: 'openai', apiKey: 'upstream-key' };
    const upstream = await startHttpServer(context, () => assert.fail('a request was sent'));
    const gateway = { providers: [{ ...provider, baseUrl: `${upstream.origin}/v1` }] };
    const { url, anthropic, post } = await startGateway(context, upstream.origin, { gateway });
    const file = await toFile(Buffer.from('data'), 'a.txt');
    await assert.rejects(anthropic.beta.files.upload({ file }), {
      status: 404,
      message:
        /no configured provider of Anthropic's format has the route \/v1\/files; add one .* type = \\?"anthropic/,
    });
    await assert.rejects(anthropic.beta.files.upload({ file }, { headers: { 'x-simple-agents-provider': 'openai' } }), {
      status: 404,
      message: /Anthropic's format, which the provider .*openai.* does not speak/,
    });
    const headers = { 'anthropic-version': '2023-06-01' };
    const named = await post('/v1/batches', { model: 'openai/gpt-5.4-mini' }, headers);
    assert.equal(named.status, 404);
    const google = await fetch(`${url}/v1/files`, { headers: { 'x-goog-api-client': 'google-genai-sdk/2' } });
    assert.equal(google.status, 404);
    assert.match(await google.text(), /Google's format has the route/);
  });

  test('goes to the first provider of the configured list that has its format and route', async (context) => {
    const seen: string[] = [];
    const upstream = await startHttpServer(context, (request, response) => {
      seen.push(request.url ?? '');
      sendJson(response, { method: '', url: '', headers: {}, body: Buffer.alloc(0) });
    });
    const providers = [
      { name: 'one', type: 'openai-compatible', baseUrl: `${upstream.origin}/one/v1` },
      { name: 'two', type: 'openai', baseUrl: `${upstream.origin}/two/v1`, apiKey: 'k' },
      { name: 'claude', type: 'anthropic', baseUrl: `${upstream.origin}/claude`, apiKey: 'k' },
      { name: 'other', type: 'anthropic-compatible', baseUrl: `${upstream.origin}/other`, apiKey: 'k' },
    ];
    const forwardProviders = ['other', 'gone', 'two'];
    const { url, server } = await startGateway(context, upstream.origin, { gateway: { providers }, forwardProviders });
    const get = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(url + path, { headers })).status;
    assert.equal(await get('/v1/files'), 200);
    assert.equal(await get('/v1/files', { 'anthropic-version': '2023-06-01' }), 200);
    // Only one of them has it.
    assert.equal(await get('/v1/rerank'), 200);
    assert.equal(await get('/v1/files', { 'x-simple-agents-provider': 'one' }), 200);
    assert.deepEqual(seen, ['/two/v1/files', '/other/v1/files', '/one/v1/rerank', '/one/v1/files']);
    server.update({ forwardProviders: ['one'] });
    assert.equal(await get('/v1/files'), 200);
    assert.equal(seen.at(-1), '/one/v1/files');
    assert.equal(await get('/v1/files', { 'anthropic-version': '2023-06-01' }), 400);
  });

  test('asks the client to choose if several providers have it', async (context) => {
    const baseUrl = 'http://127.0.0.1:9/v1';
    const providers = ['a', 'b'].map((name) => ({ name, type: 'openai-compatible', baseUrl }));
    const { url } = await startGateway(context, baseUrl, { gateway: { providers } });
    const response = await fetch(`${url}/v1/files`);
    assert.equal(response.status, 400);
    assert.match(
      await response.text(),
      /several providers have the route \/v1\/files: name one in .* or set forward_providers/,
    );
  });

  test('refuses paths that could leave the API, and wrong bodies', async (context) => {
    const { url, post, received } = await start(context);
    for (const path of ['/v1/files/..%2f..%2fadmin', '/v1/files//x', '/v1/files/%2e%2e/x', '/v1/files/a%5cb']) {
      assert.equal(await rawStatus(url, path), 400, path);
    }
    assert.equal((await post('/v1/images/generations', [])).status, 400);
    const broken = await fetch(`${url}/v1/images/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model": NaN}',
    });
    assert.equal(broken.status, 400);
    assert.equal((await fetch(`${url}/v1/files`, { method: 'PUT' })).status, 405);
    assert.equal(received.length, 0);
  });

  test('cannot become a page of the gateway, whatever the provider sends', async (context) => {
    const types = ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'multipart/x-mixed-replace', ''];
    const dispositions = {
      'inline': 'attachment',
      'inline; filename="a.html"': 'attachment; filename="a.html"',
      "attachment; filename*=UTF-8''a%20b.txt": "attachment; filename*=UTF-8''a%20b.txt",
      'x; filename="a\\"b"; inline': 'attachment',
    };
    let sent = { type: '', disposition: '' };
    const { url } = await start(context, {}, (response) => {
      const { type, disposition } = sent;
      response.writeHead(200, {
        ...(type === '' ? {} : { 'content-type': type }),
        'content-disposition': disposition,
        'content-security-policy': "default-src *; script-src 'unsafe-inline'",
      });
      response.end('<script>fetch("/v1/models")</script>');
    });
    for (const type of types) {
      for (const [disposition, passed] of Object.entries(dispositions)) {
        sent = { type, disposition };
        const { headers } = await fetch(`${url}/v1/files/file-1/content`);
        assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'");
        assert.equal(headers.get('content-disposition'), passed);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
      }
    }
  });

  test('passes the query without keys, and without parameters that the base URL sets', async (context) => {
    const urls: string[] = [];
    const upstream = await startHttpServer(context, (request, response) => {
      urls.push(request.url ?? '');
      sendJson(response, { method: '', url: '', headers: {}, body: Buffer.alloc(0) });
    });
    const baseUrl = `${upstream.origin}/v1?api-version=1`;
    const providers = [{ name: 'openai', type: 'openai', apiKey: 'upstream-key', baseUrl }];
    const { url } = await startGateway(context, upstream.origin, { gateway: { providers } });
    await fetch(`${url}/v1/files?limit=3&key=secret&%6bey=secret&api-version=2&api_key=secret&after=a%20b`);
    await fetch(`${url}/v1/files?key=secret`);
    assert.deepEqual(urls, ['/v1/files?api-version=1&limit=3&after=a%20b', '/v1/files?api-version=1']);
  });

  test('is limited in size, also for a body whose length is not known', async (context) => {
    const { url, post } = await start(context, { bodyLimit: 1000, uploadLimit: 10_000 });
    const large = await post('/v1/images/generations', { model: 'openai/m', prompt: 'x'.repeat(2000) });
    assert.equal(large.status, 413);
    const upload = async (body: string | ReadableStream) => {
      const headers = { 'content-type': 'application/octet-stream' };
      const response = await fetch(`${url}/v1/files`, { method: 'POST', headers, body, duplex: 'half' });
      return response.status;
    };
    assert.equal(await upload('x'.repeat(9000)), 200);
    assert.equal(await upload('x'.repeat(11_000)), 413);
    const chunks = Array.from({ length: 20 }, () => Buffer.alloc(1000));
    assert.equal(await upload(ReadableStream.from(chunks)), 413);
  });

  test('ends upstream when the client leaves', async (context) => {
    const { url, upstream } = await start(context, {}, (response) => void response.write('first'));
    const controller = new AbortController();
    const response = await fetch(`${url}/v1/files/a/content`, { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    await upstream.allClosed();
  });

  test('streams both ways: the client reads while the provider still sends', async (context) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { post } = await start(context, {}, (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write('data: one\n\n');
      void released.then(() => response.end('data: two\n\n'));
    });
    const response = await post('/v1/audio/speech', { model: 'openai/tts-1', input: 'Hello' });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader?.read())?.value, 'data: one\n\n');
    release();
    assert.equal((await reader?.read())?.value, 'data: two\n\n');
  });

  test('is 502 if the body cannot be decoded, or is too large when decoded', async (context) => {
    const bodies: Readonly<Record<string, readonly [coding: string, body: Buffer, message: RegExp]>> = {
      garbage: ['gzip', Buffer.from('not gzip at all'), /declared as gzip but cannot be decoded/],
      truncated: ['gzip', gzipSync(randomBytes(5000)).subarray(0, 4000), /declared as gzip but cannot be decoded/],
      damaged: ['gzip', gzipSync(randomBytes(200_000)).fill(0, 150_000, 150_100), /cannot be decoded/],
      unknown: ['rot13', Buffer.from('abc'), /unknown content coding/],
      nested: ['gzip, gzip, gzip', Buffer.from('abc'), /3 content codings/],
      bomb: ['gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024)), /more than 16777216 bytes when decoded/],
    };
    const { url } = await start(context, {}, (response, received) => {
      const [coding, body] = bodies[received.url.split('/')[3] ?? ''] ?? ['identity', Buffer.from('data')];
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': coding }).end(body);
    });
    for (const [name, [, , message]] of Object.entries(bodies)) {
      const response = await fetch(`${url}/v1/files/${name}/content`);
      assert.equal(response.status, 502, name);
      assert.match(await response.text(), message);
    }
    const plain = await fetch(`${url}/v1/files/plain/content`);
    assert.deepEqual([plain.status, plain.headers.get('content-encoding'), await plain.text()], [200, null, 'data']);
  });

  test('ignores that a provider asks for the body that it already gets', async (context) => {
    const { url, post } = await start(context, {}, (response, received) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeContinue();
      sendJson(response, received);
    });
    assert.equal((await fetch(`${url}/v1/files`)).status, 200);
    assert.equal((await post('/v1/images/generations', { model: 'openai/m', prompt: 'a' })).status, 200);
    const upload = await fetch(`${url}/v1/files`, { method: 'POST', body: 'x'.repeat(200_000) });
    assert.equal(upload.status, 200);
  });

  test('reports errors of the provider without its key, and cuts a response that was cut', async (context) => {
    const { post } = await start(context, {}, (response, { body }) => {
      if (String(body).includes('cut')) {
        response.write('some');
        setImmediate(() => response.destroy());
        return;
      }
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'wrong key upstream-key', type: 'invalid_request_error' } }));
    });
    const refused = await post('/v1/moderations', { model: 'openai/omni-moderation-latest', input: 'a' });
    assert.equal(refused.status, 401);
    assert.doesNotMatch(await refused.text(), /upstream-key/);
    const cut = await post('/v1/moderations', { model: 'openai/m', input: 'cut' });
    await assert.rejects(cut.text());
  });

  test('reports a dead provider', async (context) => {
    const { post } = await startGateway(context, 'http://127.0.0.1:9');
    assert.equal((await post('/v1/moderations', { model: 'openai/m', input: 'a' })).status, 502);
  });

  test('is logged and counted', async (context) => {
    const records: object[] = [];
    const log = (record: object): void => void records.push(record);
    const logger = { level: 'info', debug() {}, error: log, warn: log, info: log };
    const { post, url } = await start(context, { logger });
    await (await post('/v1/moderations', { model: 'openai/omni', input: 'a' })).text();
    await new Promise(setImmediate);
    const record = records.find((entry) => 'type' in entry && entry.type === 'call') as
      | Record<string, unknown>
      | undefined;
    assert.equal(record?.['outcome'], 'complete');
    assert.equal(record?.['model'], 'openai/omni');
    assert.equal(record?.['target'], 'openai');
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /route="\/v1\/moderations"/);
  });
});
