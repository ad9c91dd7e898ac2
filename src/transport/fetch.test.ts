// What only the transport over `fetch` does: any `fetch` can be passed in, and nothing of Node is needed.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { failsWith } from '../../test/support/fails-with.ts';
import { readWhole } from '../providers/body.ts';
import { createFetchTransport } from './fetch.ts';
import type { TransportRequest } from './transport.ts';

const never = new AbortController().signal;
const request: TransportRequest = {
  method: 'POST',
  url: 'https://user:pass@host/v1?a=b',
  headers: { A: 'b' },
  body: '{}',
};

test('any fetch can be passed in', async () => {
  const calls: [url: string, init: RequestInit][] = [];
  const transport = createFetchTransport({
    fetch: async (url, init = {}) => {
      calls.push([(url as URL).href, init]);
      return new Response('hello', { status: 201, headers: { 'X-One': '1' } });
    },
  });
  const { status, headers, body } = await transport.send(request, never);
  assert.deepEqual([status, headers['x-one']], [201, '1']);
  assert.equal(Buffer.from(await readWhole(body)).toString(), 'hello');
  const [[url, { method, redirect, body: sent, headers: given }] = ['', {}]] = calls;
  assert.deepEqual([url, method, redirect, sent, given], ['https://host/v1?a=b', 'POST', 'manual', '{}', { a: 'b' }]);
});

test('an opaque redirect of a browser is a redirect', async () => {
  const hidden = Object.defineProperties(new Response(), { type: { value: 'opaqueredirect' }, status: { value: 0 } });
  const transport = createFetchTransport({ fetch: () => Promise.resolve(hidden) });
  assert.equal((await transport.send(request, never)).status, 302);
});

test('an unknown failure of fetch is a network error that names the origin', async () => {
  const transport = createFetchTransport({ fetch: () => Promise.reject(new TypeError('Load failed')) });
  await assert.rejects(transport.send(request, never), failsWith('network', /https:\/\/host .*\(Load failed\)/));
});

test('it bundles without Node', async () => {
  const entryPoints = [join(import.meta.dirname, 'fetch.ts')];
  const bundle = await build({ entryPoints, bundle: true, write: false, platform: 'browser', metafile: true });
  const imports = Object.values(bundle.metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  assert.deepEqual(
    imports.filter((path) => path.startsWith('node:')),
    [],
  );
});
