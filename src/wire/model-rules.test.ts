// The rules of models: the names by which vendors sell them, and the dates of the rows.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { modelRules, refuses, type RefusedFeature } from './model-rules.ts';

const newest = [
  'claude-opus-5-5',
  'claude-opus-5-5-20260920',
  'anthropic/claude-opus-5.5',
  'us.anthropic.claude-sonnet-5-5-v1:0',
  'claude-sonnet-5-5@20260915',
  'claude-fable-5-1[1m]',
  'claude-fable-5-2',
  'claude-mythos-5-1',
  'claude-mythos-preview',
  'Claude-Opus-5-5',
  'claude-opus-latest',
];
const sampling = [
  'claude-opus-4-7',
  'claude-opus-5',
  'claude-sonnet-5',
  'claude-haiku-5-5',
  'claude-fable-5',
  'claude',
];
const oldest = [
  'claude-3-7-sonnet-20250219',
  'claude-opus-4-6',
  'claude-haiku-4-5',
  'claude-sonnet-4-20250514',
  'claude-2',
];
const foreign = ['gpt-5.5', 'gemini-5.5-pro', 'opus-5-5', 'glm-5.5', ''];

const cases: Readonly<Record<RefusedFeature, readonly string[]>> = {
  'forced-tool': newest,
  'sampling': [...newest, ...sampling],
  'thinking-budget': [...newest, ...sampling],
  'no-thinking': [...newest, 'claude-fable-5'],
};

for (const [feature, refusing] of Object.entries(cases) as [RefusedFeature, readonly string[]][]) {
  describe(feature, () => {
    for (const model of [...newest, ...sampling, ...oldest, ...foreign]) {
      const expected = refusing.includes(model);
      test(`${JSON.stringify(model)}: ${expected}`, () => assert.equal(refuses(model, feature), expected));
    }
  });
}

test('no rule applies where the rules are off', () => {
  for (const { refuses: feature } of modelRules) {
    assert.equal(refuses('claude-opus-5-5', feature, { quirks: { rules: false } }), false);
  }
});

test('docs/gateway.md has every row', async () => {
  const page = await readFile(new URL('../../docs/gateway.md', import.meta.url), 'utf8');
  for (const { refuses: feature, since } of modelRules) {
    const models = Object.entries(since).map(([family, first]) => `${family} ${first}`);
    const row = page.split('\n').find((line) => line.startsWith(`| \`${feature}\` |`));
    assert.equal(row?.split(' | ')[1]?.toLowerCase(), models.join(', '));
  }
});

test('every row has its page and its day', () => {
  for (const { source, read } of modelRules) {
    assert.match(source, /^https:\/\/platform\.claude\.com\/docs\//);
    assert.match(read, /^\d{4}-\d{2}-\d{2}$/);
  }
});
