// Runs the examples as a reader would, with the built-in model, a simulated OpenAI and a simulated Anthropic. Only the
// environment differs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { runs } from '../support/enumeration.ts';
import { firstProgram } from '../support/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'examples');
const cache = temporaryFolder();
const run = promisify(execFile);

const expected: Readonly<Record<string, RegExp>> = {
  hello: /^I am the simulated model .*“Say hello in one sentence\.”.*\n\d+ tokens from (simulated|openai|anthropic)\n$/,
  stream: /^1, 2, 3, 4, 5\nend, 4 tokens\n$/,
  tools: /^get_weather \{"city":"Paris"\}\nget_weather answered: 21 °C and sunny in Paris\n.*\n$/,
  agent:
    /^→ get_weather \{"city":"Paris"\}\n← done\n(.*\n)*get_weather answered: 21 °C and sunny in Paris\n.*\n\(end, 1 round of tools\)\n1, 2, 3 \(6 messages so far\)\n$/,
  mcp: /^weather: connected, 1 tool\n→ mcp__weather__forecast \{"city":"Paris"\}\n← 21 °C and sunny in Paris\nmcp__weather__forecast answered: .*\n.*\n$/,
  images: /You said: “What colour is this\?”\. You attached 1: image \(image\/png\)\..*\n$/,
  structured: /^\S+, \d\d, can do \d things\n$/,
  typed: /^(\S+: \d abilities so far\n)+\S+, -?\d+: \S[^\n]*\nconfidence 1, 0 changes\n$/,
  embeddings: /^Where does the cat sleep\? → The cat sleeps on the sofa\.\n4 vectors of 1536 numbers, 28 tokens\n$/,
  cancel: /^left after: 1, 2, 3, \naborted, because that will do: 1, 2, 3, 4, 5, \nin time: 1, 2, 3, 4, 5\n$/,
  errors:
    /^an unknown model: not-found, final\n.*"nowhere\/model".*\n.*\n.*: network, retryable\n.*refused.*\n.*\n.*: configuration, final\n.*did you mean "openai"\?/,
  fallback:
    /^openai-compatible\/large: attempt 1 failed \(network\), retrying in \d+ ms\n.*attempt 2 .*\nopenai-compatible\/large failed, trying simulated\/small\nsimulated\/small responded after \d+ ms: complete\n1, 2, 3, 4, 5\n$/,
  recorded: /^1, 2, 3, 4, 5\n[^]*pass 1\n/,
};

let server: SimulateServer;
before(async () => {
  server = await createSimulateServer();
});
after(() => server.close());

const ways: readonly (readonly [name: string, path: string | undefined, environment: () => Record<string, string>])[] =
  [
    ['the embedded model', undefined, () => ({})],
    [
      'OpenAI over HTTP',
      '/v1/chat/completions',
      () => ({ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${server.url}/v1` }),
    ],
    ['Anthropic over HTTP', '/v1/messages', () => ({ ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: server.url })],
  ];

// The quick suite uses only the model that needs no server.
for (const [way, path, environment] of ways.slice(0, runs(ways.length, 1))) {
  describe(way, () => {
    for (const [name, output] of Object.entries(expected)) {
      test(`runs ${name}.ts`, async () => {
        const { length: earlier } = server.requests;
        // Strip types once, not in every process.
        const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache.path, ...environment() };
        const argv = ['--disable-warning=ExperimentalWarning', join(folder, `${name}.ts`)];
        const { stdout, stderr } = await run(process.execPath, argv, { env, timeout: 30_000 });
        assert.match(stdout, output);
        assert.equal(stderr, '');
        const isLocal = path === undefined || ['embeddings', 'errors', 'fallback', 'recorded'].includes(name);
        const asked = server.requests.slice(earlier).map((request) => request.path);
        assert.deepEqual(new Set(asked), new Set(isLocal ? [] : [path]));
      });
    }
  });
}

test('every program is run, and listed in the README of the examples', () => {
  const programs = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  assert.deepEqual(
    programs.toSorted(),
    Object.keys(expected)
      .map((name) => `${name}.ts`)
      .toSorted(),
  );
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const program of programs) assert.ok(readme.includes(`| [${program}](${program}) |`), program);
});

test('the first program is the one the README shows', () => {
  const shown = firstProgram(readFileSync(join(root, 'README.md'), 'utf8'));
  const hello = readFileSync(join(folder, 'hello.ts'), 'utf8');
  assert.equal(hello.replace("'../src/index.ts'", "'simple-agents'"), shown);
  assert.ok(hello.trimEnd().split('\n').length < 10);
});
