// `npm run test:live` against the simulator: the suite must work before real keys are used.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';

const run = promisify(execFile);
const suite = join(import.meta.dirname, '../live/providers.test.ts');

test('without a key it lists what it skips and succeeds', async () => {
  const { stdout } = await run(process.execPath, [suite], { env: {} });
  assert.match(stdout, /OPENAI_API_KEY is not set/);
  assert.match(stdout, /SIMPLE_AGENTS_LIVE=ollama=MODEL/);
  assert.match(stdout, /tests 0/);
});

test('with keys it exercises their providers in both wires', async (context) => {
  const server = await createSimulateServer();
  context.after(() => server.close());
  const env = {
    OPENAI_API_KEY: 'any',
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_API_KEY: 'any',
    ANTHROPIC_BASE_URL: server.url,
  };
  const { stdout } = await run(process.execPath, [suite], { env });
  assert.match(stdout, /pass 10\n/);
  assert.match(stdout, /fail 0\n/);
});
