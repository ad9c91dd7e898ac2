// The default model and the reason for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSettings, type Settings } from '../../config/settings.ts';
import { explainDefault, nameOf } from './default-model.ts';

function explain(settings: Settings): string {
  const { target, reason } = explainDefault(settings, '/home/me/project');
  return target === undefined ? reason : `${nameOf(target)}, because ${reason}`;
}

test('without any settings, it is the simulated model', () => {
  assert.equal(
    explain(resolveSettings({ env: {} })),
    'simulated, because no API key is set and no provider is configured',
  );
});

test('with a key, it is the model of that vendor', () => {
  const settings = resolveSettings({ env: { ANTHROPIC_API_KEY: 'key' } });
  assert.match(explain(settings), /^anthropic\/claude-\S+, because ANTHROPIC_API_KEY is set/);
});

test('with a file, it is the one in the file', () => {
  const file = '/home/me/project/simple-agents.toml';
  const ollama = { name: 'ollama', type: 'ollama', model: 'llama3.2' };
  const says = (own: object): string =>
    explain({ ...resolveSettings({ env: {}, file: { providers: [ollama], ...own } }), file });
  assert.equal(says({}), 'ollama/llama3.2, because it is the first provider in simple-agents.toml');
  assert.equal(
    says({ defaultModel: 'simulated/large' }),
    'simulated/large, because it is the default_model in simple-agents.toml',
  );
  assert.equal(
    says({ defaultProvider: 'simulated' }),
    'simulated, because its provider is the default_provider in simple-agents.toml',
  );
});

test('a provider without a model gives no default and a message with the fix', () => {
  const settings = resolveSettings({ env: {}, file: { providers: [{ name: 'ollama', type: 'ollama' }] } });
  assert.match(explain(settings), /set one as provider\/model/);
});
