// `GET /` and `GET /assets/…`: the gateway's page, compiled from web/ into dist/web. The files contain no data, so they are
// open; the page calls the API like any other client and asks for a key if there are keys. It may load its own files
// only, and nothing inline.

import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

import type { Exchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { HttpRoute } from './http-route.ts';

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  // Pictures that the user attaches are data URLs.
  `img-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const page: HttpRoute = {
  method: 'GET',
  path: '/',
  access: 'open',
  async handle(exchange, { authentication, note = '' }) {
    // A key is not needed, but a wrong one is rejected as on every other route.
    if (authentication.keys.check(exchange.request.headers) !== 'missing') authentication.check(exchange, 'call');
    const source = await read(join(pageFolder(), 'index.html'));
    if (source === undefined)
      throwHttpError(503, 'the page is not compiled; run `npm run setup` in the checkout and reload');
    const body = Buffer.from(source)
      .toString()
      .replace('{{note}}', () => escape(note));
    exchange.send(200, body, { ...headersOf('index.html'), 'cache-control': 'no-cache' });
  },
};

export const pageAsset: HttpRoute = {
  method: 'GET',
  path: '/assets/',
  access: 'open',
  async handle(exchange) {
    const name = exchange.path.slice(this.path.length);
    // Compiled names have no folders and one extension, so nothing outside the folder can be named.
    const isAsset = /^[\w-]+\.(?:js|css|svg)$/.test(name);
    const file = isAsset ? await readAsset(exchange, join(pageFolder(), 'assets', name)) : undefined;
    if (file === undefined) throwHttpError(404, 'the page has no such file; reload it', { kind: 'not-found' });
    // A hash in the name: the content never changes.
    const isHashed = /-[0-9A-Z]{8}\.\w+$/.test(name);
    const cache = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    exchange.send(200, file.body, { ...headersOf(name), ...file.headers, 'cache-control': cache });
  },
};

/** For the value of an attribute. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

interface Asset {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** The compressed file, if there is one and the client accepts it. */
async function readAsset({ request }: Exchange, path: string): Promise<Asset | undefined> {
  const acceptsBrotli = /(?:^|[\s,])br(?:[\s,;]|$)/.test(request.headers['accept-encoding'] ?? '');
  const compressed = acceptsBrotli ? await read(`${path}.br`) : undefined;
  const vary = { vary: 'accept-encoding' };
  if (compressed !== undefined) return { body: compressed, headers: { ...vary, 'content-encoding': 'br' } };
  const body = await read(path);
  return body && { body, headers: vary };
}

function headersOf(name: string): Record<string, string> {
  return {
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}

let folder: string | undefined;

/** `dist/web` of the package that this file belongs to, as a source file or as a part of a bundle. */
function pageFolder(): string {
  if (folder !== undefined) return folder;
  let place = import.meta.dirname;
  while (!existsSync(join(place, 'package.json')) && dirname(place) !== place) place = dirname(place);
  folder = join(place, 'dist/web');
  return folder;
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined;
  }
}
