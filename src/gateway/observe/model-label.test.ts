// Model labels: only names in the configuration or the price list become labels.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createModelLabel } from './model-label.ts';
import { loadPriceBook } from '../../prices/price.ts';
import type { ResolveSettings } from '../routing/resolve.ts';

const settings: ResolveSettings = {
  providers: [
    { name: 'openai', type: 'openai', models: ['my-tuned'] },
    { name: 'eu', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:1', model: 'local-model' },
    { name: 'simulated', type: 'simulated' },
  ],
  aliases: { fast: { targets: ['openai/my-tuned', 'eu/other-model'] } },
  chains: [{ model: 'chained', targets: ['eu/last'] }],
};

test('configured and listed names are labels, others share one', async () => {
  const label = createModelLabel(settings, await loadPriceBook(settings));
  const own = [
    'fast',
    'chained',
    'eu/last',
    'openai',
    'openai/my-tuned',
    'my-tuned',
    'eu/local-model',
    'eu/other-model',
  ];
  for (const name of [...own, 'simulated', 'openai/gpt-4o', 'gpt-4o', 'openai/gpt-4.1'])
    assert.equal(label(name), name);
  assert.equal(label('openai/made-up'), 'openai/other');
  assert.equal(label('simulated/made-up'), 'simulated/other');
  assert.equal(label('eu/gpt-4o'), 'eu/other');
  for (const name of ['made-up', 'made-up/gpt-4o', 'anthropic/claude-sonnet-4-5', '', '/', 'x/']) {
    assert.equal(label(name), 'other', name);
  }
});

test('spellings of one model share a label', async () => {
  const label = createModelLabel(settings, await loadPriceBook(settings));
  const spellings = Array.from({ length: 2000 }, (_, index) => `openai/GPT-4o-${20_240_000 + index}`);
  const labels = new Set(['openai/gpt-4o', ...spellings].map(label));
  assert.deepEqual([...labels], ['openai/gpt-4o']);
});
