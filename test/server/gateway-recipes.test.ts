// The recipes of docs/gateway.md, run unchanged, each as its own program.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { createServer, type GatewayServer } from '../../src/server/server.ts';
import { createGateway } from '../../src/node.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const manual = readFileSync(join(root, 'docs/gateway.md'), 'utf8');

const recipes = [...manual.matchAll(/^### (.+)\n\n```(sh|js) recipe\n([^]*?)```/gm)].map(
  ([, title = '', language = '', text = '']) => ({ title, language, text }),
);

/** The expected output of each. */
const expected: Readonly<Record<string, RegExp>> = {
  'curl': /"content":"1, "[^]*data: \[DONE\][^]*"text":"1, 2, 3"/,
  "OpenAI's SDK": /\{ name: '.+', age: -?\d+ \}\n1, 2, 3$/,
  "Anthropic's SDK": /^1, 2, 3[^]*21 °C in Paris/,
  'Google Gen AI SDK': /^1, 2, 3\n$/,
  'AI SDK': /^1, 2, 3\n\{ name: '.+', age: -?\d+ \}\n$/,
  'LangChain': /^1, 2, 3\n1, 2, 3\n$/,
};

let server: GatewayServer;
let folder: string;
before(async () => {
  server = createServer({
    port: 0,
    provider: createGateway({ providers: [{ name: 'simulated', type: 'simulated' }] }),
  });
  await server.listen();
  // Inside the checkout, so that the packages can be resolved.
  folder = mkdtempSync(join(root, 'node_modules/.recipes-'));
});
after(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

describe('docs/gateway.md', () => {
  test('has a recipe for every client', () => {
    const titles = recipes.map(({ title }) => title);
    assert.deepEqual(titles, Object.keys(expected));
  });

  for (const { title, language, text } of recipes) {
    test(title, async () => {
      const file = join(folder, `recipe.${language === 'js' ? 'mjs' : 'sh'}`);
      writeFileSync(file, text);
      const env = { PATH: process.env['PATH'], GATEWAY: server.address ?? '', KEY: 'any' };
      const command = language === 'js' ? process.execPath : 'sh';
      const { stdout } = await run(command, [file], { env, timeout: 30_000 });
      assert.match(stdout, expected[title] ?? /^$/);
    });
  }
});
