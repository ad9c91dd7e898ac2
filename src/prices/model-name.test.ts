// The spellings of model names, and the names they are looked up by.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makersOf, namesOf } from './model-name.ts';

describe('a model is found under its plain name, written', () => {
  const spellings: Readonly<Record<string, readonly string[]>> = {
    'claude-sonnet-4-5': [
      'claude-sonnet-4-5',
      'Claude-Sonnet-4.5',
      ' claude-sonnet-4-5 ',
      'claude-sonnet-4-5-20250929',
      'claude-sonnet-4-5@20250929',
      'claude-sonnet-4-5@default',
      'claude-sonnet-4-5-latest',
      'anthropic/claude-sonnet-4.5',
      'openrouter/anthropic/claude-sonnet-4.5',
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'publishers/anthropic/models/claude-sonnet-4-5@20250929',
    ],
    'gpt-4o': ['gpt-4o', 'gpt-4o-2024-08-06', 'openai/gpt-4o', 'GPT-4o'],
    'gemini-2-5-pro': ['models/gemini-2.5-pro', 'google/gemini-2.5-pro'],
    'gemini-2-0-flash': ['gemini-2.0-flash-001'],
    'glm-5-3': ['accounts/fireworks/models/glm-5p3', 'z-ai/glm-5.3'],
    'mistral-medium-latest': ['mistral-medium', 'mistral-medium-latest'],
  };
  for (const [name, written] of Object.entries(spellings)) {
    for (const spelling of written) {
      test(spelling, () => assert.ok(namesOf(spelling).includes(name), namesOf(spelling).join(' ')));
    }
  }
});

test('differences between models are kept', () => {
  assert.ok(!namesOf('gpt-5.4-mini').includes('gpt-5-4'));
  assert.ok(!namesOf('claude-sonnet-5-5').includes('claude-sonnet-5'));
  assert.ok(!namesOf('qwen/qwen3-coder:free').includes('qwen3-coder'));
  assert.ok(!namesOf('gpt-4-0613').includes('gpt-4'));
});

test('the most specific name comes first', () => {
  assert.deepEqual(namesOf('openai/gpt-4o-2024-08-06').slice(0, 2), ['openai/gpt-4o-2024-08-06', 'openai/gpt-4o']);
});

test('the vendor is found in the name', () => {
  assert.deepEqual(makersOf('us.anthropic.claude-3-haiku-20240307-v1:0'), ['anthropic']);
  assert.deepEqual(makersOf('openrouter/anthropic/claude-3-haiku'), ['openrouter', 'anthropic']);
  assert.deepEqual(makersOf('gpt-4.1'), []);
});
