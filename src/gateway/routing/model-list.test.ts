// The model list of a configuration.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listModels } from './model-list.ts';
import { loadPriceBook } from '../../prices/price.ts';

test('the default, then aliases, then the models of providers, each once', async () => {
  const settings = {
    defaultModel: 'fast',
    aliases: { fast: { targets: ['here/a'] }, lost: { targets: ['nobody/x'] } },
    providers: [
      { name: 'here', type: 'openai-compatible', model: 'a', models: ['b', 'a'] },
      { name: 'simulated', type: 'simulated' },
    ],
    prices: { 'here/a': { input: 1, output: 2, contextWindow: 1000 } },
  };
  const models = listModels(settings, await loadPriceBook(settings));
  const price = { input: 1, output: 2 };
  assert.deepEqual(models, [
    { id: 'here/a', provider: 'here', contextWindow: 1000, price },
    { id: 'fast', provider: 'here', contextWindow: 1000, price },
    { id: 'here/b', provider: 'here' },
    { id: 'simulated', provider: 'simulated', price: { input: 0, output: 0 } },
  ]);
});
