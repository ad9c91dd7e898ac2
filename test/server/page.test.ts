// The files of the gateway's page over HTTP: what browsers may cache, and that nothing else can be read.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { startBoth } from '../support/gateway-server.ts';
import { sendRaw } from '../support/raw-request.ts';

const built = join(import.meta.dirname, '../../dist/web');

test('the page names files that exist; they may be cached for ever, the page itself not', async (context) => {
  const { url } = await startBoth(context);
  const page = await fetch(url);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const names = [...(await page.text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, name = '']) => name);
  assert.ok(names.length >= 3, names.join());
  for (const name of names) {
    const response = await fetch(url + name);
    assert.equal(response.status, 200, name);
    assert.match(response.headers.get('content-type') ?? '', /^(?:text\/(?:javascript|css)|image\/svg\+xml)/);
    const cache = name.endsWith('icon.svg') ? 'no-cache' : 'public, max-age=31536000, immutable';
    assert.equal(response.headers.get('cache-control'), cache, name);
    assert.equal(await response.text(), readFileSync(join(built, name), 'utf8'), name);
  }
});

test('a client that accepts Brotli gets the compressed file', async (context) => {
  const { url } = await startBoth(context);
  const [, name = ''] = /"(\/assets\/main-[^"]+\.js)"/.exec(await (await fetch(url)).text()) ?? [];
  const { headers, body } = await sendRaw(`${url}${name}`, { 'accept-encoding': 'gzip, br' });
  assert.equal(headers['content-encoding'], 'br');
  assert.equal(headers['vary'], 'accept-encoding');
  const plain = await sendRaw(`${url}${name}`, {});
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.deepEqual(brotliDecompressSync(body), plain.body);
});

test('nothing outside the folder can be read', async (context) => {
  const { url } = await startBoth(context);
  const names = [
    '..%2findex.html',
    '../index.html',
    '%2e%2e/index.html',
    'main.js.br',
    '.npmrc',
    '',
    'a/b.js',
    'x.map',
  ];
  for (const name of names) {
    const { status } = await sendRaw(`${url}/assets/${name}`, {});
    assert.equal(status, 404, name);
  }
});
