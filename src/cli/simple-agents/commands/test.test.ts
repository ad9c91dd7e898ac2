// `test`: reports measurements for a provider that works, and hints for one that does not.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { runCli } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createSimulateServer, type SimulateServer } from '../../../testing/simulate/server.ts';

const cwd = temporaryFolder().path;
let server: SimulateServer;
before(async () => {
  server = await createSimulateServer();
});
after(() => server.close());

function check(argv: readonly string[], env: Record<string, string> = {}) {
  return runCli(['test', ...argv], { cwd, env });
}

describe('a provider that works', () => {
  test('is reported with its model, times and response', async () => {
    const { exitCode, out, err } = await check(['anthropic'], {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: server.url,
    });
    assert.deepEqual([exitCode, err], [0, '']);
    assert.match(
      out,
      /^anthropic works\n {2}model {8}claude-\S+\n {2}first token {2}[\d.]+ m?s\n {2}total {8}[\d.]+ m?s\n/,
    );
    assert.match(out, /\n {2}response {5}I am the simulated model .*…\n$/);
  });

  test('is reported as JSON', async () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` };
    const { out } = await check(['openai', '-m', 'some-model', '--output', 'json'], env);
    const { provider, model, firstTokenMs, totalMs, text } = JSON.parse(out) as Record<string, unknown>;
    assert.deepEqual([provider, model], ['openai', 'some-model']);
    assert.ok(Number(firstTokenMs) <= Number(totalMs));
    assert.match(String(text), /simulated/);
  });

  test('can be the built-in model', async () => {
    assert.match((await check(['simulated'])).out, /^simulated works\n/);
  });
});

describe('a provider that does not', () => {
  test('has no key: the message names the variable', async () => {
    const { exitCode, err } = await check(['openai']);
    assert.equal(exitCode, 3);
    assert.match(err, /^simple-agents: OpenAI needs an API key: set OPENAI_API_KEY\n/);
  });

  test('rejects its key: the message names the variable, not the key', async () => {
    const env = { OPENAI_API_KEY: 'bad-key-123', OPENAI_BASE_URL: `${server.url}/v1` };
    const { exitCode, out, err } = await check(['openai'], env);
    assert.equal(exitCode, 3);
    assert.match(err, /the key is read from OPENAI_API_KEY/);
    assert.doesNotMatch(out + err, /bad-key-123/);
  });

  test('is not running', async () => {
    const { exitCode, err } = await check(['ollama', '-m', 'llama3', '--base-url', 'http://127.0.0.1:1/v1']);
    assert.equal(exitCode, 6);
    assert.match(err, /is Ollama running at http:\/\/127\.0\.0\.1:1\/v1\?/);
  });

  test('has no such model', async () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` };
    const { exitCode, err } = await check(['openai', '-m', 'unknown-model'], env);
    assert.equal(exitCode, 5);
    assert.match(err, /does .* have the model "unknown-model"\? Use -m to name another/);
  });

  test('has no known model', async () => {
    const { exitCode, err } = await check(['ollama']);
    assert.equal(exitCode, 2);
    assert.match(err, /no model given; name one with simple-agents test ollama -m NAME/);
  });

  test('does not exist', async () => {
    const { exitCode, out } = await check(['opnai', '--output', 'json']);
    assert.equal(exitCode, 2);
    assert.match(out, /did you mean \\"openai\\"/);
  });
});
