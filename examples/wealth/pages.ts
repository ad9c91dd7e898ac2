// The page and its parts, read once. Its content security policy allows resources from this server only, and no inline
// scripts.

import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ApplicationRoute } from '../../src/server/server.ts';
import type { User } from './sessions.ts';

const files = ['index.html', 'style.css', 'app.js', 'answer.js', 'chart.js', 'dom.js'];
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const pages: readonly ApplicationRoute<User>[] = files.map((file) => {
  const body = readFileSync(join(import.meta.dirname, 'web', file));
  const headers = {
    'content-type': types[extname(file)] ?? '',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
  return {
    method: 'GET',
    path: file === 'index.html' ? '/' : `/${file}`,
    access: 'open',
    answer: () => new Response(body, { headers }),
  };
});
