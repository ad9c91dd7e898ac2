// Precedence of flags, environment and file, and errors before any request is sent.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryTerminal } from '../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { connect } from './connect.ts';
import { nameOf } from './default-model.ts';
import type { ModelFlags } from '../flags.ts';

const folder = temporaryFolder();
folder.write(
  'simple-agents.toml',
  '[client]\ndefault_model = "work/gpt-x"\n[[providers]]\nname = "work"\ntype = "openai"\nbase_url = "https://work.example/v1"\n',
);
const elsewhere = temporaryFolder();

async function targetOf(flags: ModelFlags, env: Record<string, string> = {}, cwd = folder.path) {
  const connection = await connect(flags, new MemoryTerminal({ env, cwd }));
  await connection.close();
  return connection.target;
}

describe('the model', () => {
  test('is the default of the file, or the one in the flag', async () => {
    assert.equal(nameOf(await targetOf({})), 'work/gpt-x');
    assert.equal(nameOf(await targetOf({ model: 'simulated' })), 'simulated');
    assert.equal(nameOf(await targetOf({ model: 'ollama/llama3' })), 'ollama/llama3');
  });

  test('is passed unchanged to a provider named by a flag', async () => {
    const { provider, model } = await targetOf({ provider: 'openrouter', model: 'openrouter/auto' });
    assert.deepEqual([provider.name, model], ['openrouter', 'openrouter/auto']);
  });

  test('is that of the named provider if no model is named, not the default of the file', async () => {
    const { provider, model } = await targetOf({ provider: 'openai' });
    assert.deepEqual([provider.name, model.startsWith('gpt-')], ['openai', true]);
    await assert.rejects(targetOf({ provider: 'ollama' }), { kind: 'bad-request', message: /names no model/ });
  });
});

describe('a base URL', () => {
  test('without a provider means an OpenAI-compatible server', async () => {
    const { provider, model } = await targetOf({ baseUrl: 'http://127.0.0.1:1/v1', model: 'llama' });
    assert.deepEqual([provider.type, provider.baseUrl, model], ['openai-compatible', 'http://127.0.0.1:1/v1', 'llama']);
  });

  test('with a provider changes its URL', async () => {
    const env = { OPENAI_BASE_URL: 'http://environment' };
    const { provider } = await targetOf({ provider: 'work', baseUrl: 'http://flag' }, env);
    assert.deepEqual([provider.type, provider.baseUrl], ['openai', 'http://flag']);
  });

  test('must be valid', async () => {
    await assert.rejects(targetOf({ baseUrl: 'localhost:1' }), { kind: 'bad-request', message: /^--base-url: / });
  });
});

describe('a key', () => {
  test('is read from the variable in the flag', async () => {
    const { provider } = await targetOf({ provider: 'openai', apiKeyEnv: 'MINE' }, { MINE: 'a', OPENAI_API_KEY: 'b' });
    assert.deepEqual([provider.apiKey, provider.keyEnv], ['a', 'MINE']);
  });

  test('must be set and belong to a provider', async () => {
    await assert.rejects(targetOf({ provider: 'openai', apiKeyEnv: 'MINE' }), {
      kind: 'auth',
      message: '--api-key-env: the environment variable MINE is not set',
    });
    await assert.rejects(targetOf({ apiKeyEnv: 'MINE' }), {
      kind: 'bad-request',
      message: /requires --provider or --base-url/,
    });
  });
});

test('an unknown provider gets a suggestion', async () => {
  await assert.rejects(targetOf({ provider: 'antropic' }, {}, elsewhere.path), {
    kind: 'configuration',
    message: 'unknown provider "antropic"; did you mean "anthropic"?',
  });
});

test('an invalid or missing configuration file is reported with its position', async () => {
  elsewhere.write('wrong.toml', '[client]\ndefault_modle = "x"\n');
  await assert.rejects(targetOf({ config: 'wrong.toml' }, {}, elsewhere.path), {
    kind: 'configuration',
    message: /^wrong\.toml:2: .*did you mean "default_model"/,
  });
  await assert.rejects(targetOf({ config: 'none.toml' }, {}, elsewhere.path), { message: /file not found/ });
});
