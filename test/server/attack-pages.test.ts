// Web pages that a user has open may not call the gateway or read from it, and no header allows it.

import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { test } from 'node:test';

import { foreignFetches, foreignOrigins, rebindingHosts, type Headers } from '../support/attacks/page-forms.ts';
import { ask, startBoth } from '../support/gateway-server.ts';

const chat = '/v1/chat/completions';
const listed = { corsOrigins: ['https://app.example.com'], allowedHosts: ['gateway.example.com'] };

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
}

/** Uses `node:http`, because `fetch` does not send these headers. */
function send(url: string, method: string, headers: Headers): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = httpRequest(url, { method, headers, agent: false }, (response) => {
    response.resume();
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
  });
  sent.on('error', reject);
  sent.end(method === 'POST' ? JSON.stringify(ask('openai/m', 'hi')) : undefined);
  return promise;
}

/** Every kind of request is rejected, and no header allows it. */
async function isRefused(url: string, headers: Headers, allowed: readonly number[]): Promise<void> {
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' };
  const json = { 'content-type': 'application/json' };
  const answers = await Promise.all([
    send(url + chat, 'OPTIONS', { ...preflight, ...headers }),
    send(url + chat, 'POST', { ...json, ...headers }),
    send(`${url}/v1/models`, 'GET', headers),
    send(`${url}/metrics`, 'GET', headers),
    send(`${url}/`, 'HEAD', headers),
  ]);
  for (const answer of answers) {
    assert.ok(allowed.includes(answer.status), `${JSON.stringify(headers)}: ${answer.status}`);
    const told = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
    assert.deepEqual(told, [], JSON.stringify(headers));
  }
}

const count = foreignOrigins('1').length + rebindingHosts('1').length + foreignFetches.length;

test(`${count} forms of page requests are rejected, with and without listed origins`, async (context) => {
  assert.ok(count >= 40);
  for (const options of [{}, listed]) {
    const { url, upstream } = await startBoth(context, undefined, options);
    const { port } = new URL(url);
    for (const origin of foreignOrigins(port)) await isRefused(url, { origin }, [403]);
    for (const host of rebindingHosts(port)) await isRefused(url, { host }, [400, 403]);
    for (const host of rebindingHosts(port)) await isRefused(url, { host, origin: `http://${host}` }, [400, 403]);
    for (const headers of foreignFetches) await isRefused(url, headers, [403]);
    assert.deepEqual(upstream.requests, []);
  }
});

test('the page cannot be framed, and loads and runs only its own files', async (context) => {
  const { url } = await startBoth(context);
  const { headers } = await send(`${url}/`, 'GET', {});
  const policy = String(headers['content-security-policy']);
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.doesNotMatch(policy, /unsafe|\*|http|blob/);
  assert.match(policy, /script-src 'self'; style-src 'self'; connect-src 'self'/);
  const page = await (await fetch(url)).text();
  assert.doesNotMatch(page, /<style|<script(?! type="module" src="\/assets\/)|\son\w+=|https?:/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

test('the note of the page is escaped', async (context) => {
  const { url } = await startBoth(context, undefined, { note: '"><script>alert(1)</script>&' });
  const page = await (await fetch(url)).text();
  assert.match(page, /content="&quot;>&lt;script>alert\(1\)&lt;\/script>&amp;"/);
});
