// The targets of a model name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelOf, type ResolveSettings } from './resolve.ts';
import { resolveRoute } from './route.ts';

const settings: ResolveSettings = {
  providers: [
    { name: 'first', type: 'openai', model: 'gpt-4o' },
    { name: 'second', type: 'anthropic', model: 'claude', weight: 4 },
    { name: 'rehearsal', type: 'simulated' },
    { name: 'house', type: 'openai-compatible', model: 'llama' },
    { name: 'groq', type: 'groq' },
  ],
  spares: ['first', 'second', 'rehearsal', 'house'],
  aliases: {
    fast: { targets: ['second/haiku', 'house/small'], strategy: 'weighted', weights: [3, 1] },
    one: { targets: ['house/small'] },
  },
};

function route(name: string, more: Partial<ResolveSettings> = {}): string {
  const { targets, fallbacks } = resolveRoute(name, { ...settings, ...more });
  const shared = targets.map((target) => `${labelOf(target)}*${target.weight}`).join(' ');
  return [shared, ...fallbacks.map(labelOf)].join(' > ');
}

test('a request without a model has the providers of the file as spares, but not a simulated one', () => {
  assert.equal(route(''), 'first/gpt-4o*1 second/claude*4 house/llama*1');
  assert.equal(route('', { defaultProvider: 'house' }), 'house/llama*1 first/gpt-4o*1 second/claude*4');
  assert.equal(route('', { spares: [] }), 'first/gpt-4o*1');
  assert.equal(
    route('', { defaultModel: 'rehearsal/m' }),
    'rehearsal/m*1 first/gpt-4o*1 second/claude*4 house/llama*1',
  );
});

test('the same model, if named, has only itself', () => {
  for (const name of ['gpt-4o', 'first/gpt-4o', 'first']) {
    assert.equal(route(name), 'first/gpt-4o*1', name);
    assert.equal(route(name, { defaultModel: name }), 'first/gpt-4o*1', `${name}, which is the default`);
  }
});

test('a model that several providers list has all of them, and no other', () => {
  const providers = [
    { name: 'east', type: 'openai-compatible', model: 'llama', weight: 2 },
    { name: 'maker', type: 'openai' },
    { name: 'west', type: 'openai-compatible', models: ['qwen', 'llama'] },
  ];
  assert.equal(route('llama', { providers }), 'east/llama*2 west/llama*1');
  assert.equal(route('west/llama', { providers }), 'west/llama*1');
  assert.equal(route('gpt-4o', { providers }), 'maker/gpt-4o*1');
});

test('an explicit name has only itself', () => {
  assert.equal(route('second/claude'), 'second/claude*4');
  assert.equal(route('first/gpt-4o-mini'), 'first/gpt-4o-mini*1');
  assert.equal(route('one'), 'house/small*1');
});

test('an alias has its targets, with its own weights', () => {
  assert.equal(route('fast'), 'second/haiku*3 house/small*1');
  assert.equal(route('', { defaultModel: 'fast' }), 'second/haiku*3 house/small*1');
  assert.equal(resolveRoute('fast', settings).strategy, 'weighted');
  assert.equal(route('one', { defaultModel: 'one' }), 'house/small*1');
  assert.equal(route('', { defaultModel: 'one' }), 'house/small*1 first/gpt-4o*1 second/claude*4');
});

test('a chain adds fallbacks to the name it is written for, instead of the spares', () => {
  const chains = [
    { targets: ['groq/x', 'first/gpt-4o', 'groq/x', 'house/llama'] },
    { model: 'claude', targets: ['groq/y'], fallbackOn: ['auth'] as const },
    { model: 'fast', targets: ['groq/z'] },
  ];
  assert.equal(route('', { chains }), 'first/gpt-4o*1 > groq/x > house/llama');
  assert.equal(route('gpt-4o', { chains, defaultModel: 'gpt-4o' }), 'first/gpt-4o*1 > groq/x > house/llama');
  assert.equal(route('claude', { chains }), 'second/claude*4 > groq/y');
  assert.equal(route('', { chains, defaultModel: 'claude' }), 'second/claude*4 > groq/x > first/gpt-4o > house/llama');
  assert.equal(route('fast', { chains }), 'second/haiku*3 house/small*1 > groq/z');
  assert.equal(route('one', { chains }), 'house/small*1');
  assert.deepEqual(resolveRoute('claude', { ...settings, chains }).fallbackOn, ['auth']);
});

test('a chain has no effect on other spellings of its model', () => {
  const chains = [{ targets: ['groq/x'] }, { model: 'claude', targets: ['groq/y'] }];
  for (const name of ['gpt-4o', 'first/gpt-4o', 'first']) assert.equal(route(name, { chains }), 'first/gpt-4o*1', name);
  for (const name of ['second/claude', 'second']) assert.equal(route(name, { chains }), 'second/claude*4', name);
});

test('a route with spares does not share its name with one that a request can name', () => {
  assert.equal(resolveRoute('first/gpt-4o', settings).name, 'first/gpt-4o');
  assert.equal(resolveRoute('', settings).name, '');
  assert.equal(resolveRoute('fast', settings).name, 'fast');
});
