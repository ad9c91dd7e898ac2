// When a gateway offers the built-in simulated model: only without a real provider, or when the configuration names it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { resolveSettings, type SettingsSources } from '../../src/config/settings.ts';
import { SimpleAgentsError } from '../../src/core/error.ts';
import { listModels } from '../../src/gateway/routing/model-list.ts';
import { loadPriceBook } from '../../src/prices/price.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { ask, startSimulated } from '../support/gateway-server.ts';
import { runCli } from '../support/memory-terminal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createGateway } from '../../src/node.ts';

const env = { OPENAI_API_KEY: 'k' };
const named = { name: 'simulated', type: 'simulated' };
const openai = { name: 'mine', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', model: 'm' };

const hidden: Readonly<Record<string, SettingsSources>> = {
  'a key in the environment': { env },
  'an alias for a local server': { env: {}, file: { aliases: { local: { targets: ['ollama/qwen3'] } } } },
  'a provider of the file': { env: {}, file: { providers: [openai] } },
  'a provider given in code': { env: {}, code: { providers: [openai] } },
  'an alias for a real model': { env, file: { aliases: { fast: { targets: ['openai/gpt-5'] } } } },
  'a chain of real models': { env, file: { chains: [{ model: 'openai/gpt-5', targets: ['openai/gpt-4o'] }] } },
  'a default that is real': { env, file: { defaultModel: 'openai/gpt-5' } },
  'spare providers': { env, file: { providers: [openai, { name: 'openai', type: 'openai' }] } },
};

const offered: Readonly<Record<string, SettingsSources>> = {
  'no key and no file': { env: {} },
  'only a simulated provider': { env: {}, file: { providers: [named] } },
  'a simulated provider beside a real one': { env, file: { providers: [openai, named] } },
  'a simulated provider of another name': { env, file: { providers: [openai, { name: 'demo', type: 'simulated' }] } },
  'a simulated provider given in code': { env, code: { providers: [named] } },
  'an alias': { env, file: { aliases: { fake: { targets: ['openai/gpt-5', 'simulated/x'] } } } },
  'a chain that ends in it': { env, file: { chains: [{ model: 'openai/gpt-5', targets: ['simulated'] }] } },
  'a chain written for it': { env, file: { chains: [{ model: 'simulated', targets: ['openai/gpt-5'] }] } },
  'the default model': { env, file: { defaultModel: 'simulated/large' } },
  'the default provider': { env, file: { defaultProvider: 'simulated' } },
};

async function offers(sources: SettingsSources): Promise<readonly boolean[]> {
  const settings = resolveSettings(sources);
  const gateway = createGateway({ ...settings, onlyConfigured: true });
  const answers = (name?: string): boolean => {
    try {
      return gateway.resolve(name).provider.type === 'simulated';
    } catch (error) {
      assert.ok(error instanceof SimpleAgentsError);
      if (name !== undefined) assert.equal(error.kind, 'not-found');
      assert.doesNotMatch(error.message, /Available.*simulated/u);
      return false;
    }
  };
  const listed = listModels(settings, await loadPriceBook(settings)).some(({ provider }) => provider === 'simulated');
  const found = [listed, answers('simulated'), answers('simulated/x')];
  await gateway.close();
  return found;
}

describe('a gateway with a real provider does not offer the simulated model', () => {
  for (const [what, sources] of Object.entries(hidden)) {
    test(`with ${what}`, async () => assert.deepEqual(await offers(sources), [false, false, false]));
  }

  test('but code and command line may still name it', async () => {
    const gateway = createGateway(resolveSettings({ env }));
    assert.equal(gateway.resolve('simulated').provider.type, 'simulated');
    await gateway.close();
    const { exitCode } = await runCli(['complete', '-m', 'simulated', 'Count to 3'], { env });
    assert.equal(exitCode, 0);
  });

  test('and the models command does not list it', async () => {
    const { out } = await runCli(['models', '--json'], { env });
    assert.doesNotMatch(out, /simulated/u);
    assert.match((await runCli(['models', '--json'], { env: {} })).out, /"default": "simulated"/u);
  });
});

describe('a gateway offers the simulated model', () => {
  for (const [what, sources] of Object.entries(offered)) {
    test(`with ${what}`, async () => assert.deepEqual((await offers(sources)).slice(1), [true, true]));
  }
});

test('a served gateway responds with 404 for it on both wires', { timeout: 60_000 }, async (context) => {
  const upstream = await startSimulated(context);
  const { url } = await startGatewayProcess(context, { cwd: temporaryFolder().path, upstream: upstream.url });
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: readonly { id: string }[] };
  assert.ok(data.length > 0);
  // The upstream has models with such a name, which belong to its providers here.
  assert.deepEqual(
    data.filter(({ id }) => id.startsWith('simulated')),
    [],
  );
  for (const [path, expected] of [
    ['/v1/chat/completions', { code: 'model_not_found' }],
    ['/v1/messages', { type: 'not_found_error' }],
  ] as const) {
    for (const model of ['simulated', 'simulated/x']) {
      const body = JSON.stringify(ask(model, 'Hello'));
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.equal(response.status, 404);
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      assert.partialDeepStrictEqual(error, expected);
    }
  }
  const asked = upstream.requests.filter(({ path }) => path !== '/v1/models');
  assert.deepEqual(asked, []);
});
