// Aliases with a pattern: what they match, what their targets become, and what takes precedence.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { findAlias } from './alias-pattern.ts';
import { resolveModel } from './resolve.ts';
import { resolveRoute } from './route.ts';

const settings = {
  providers: [
    { name: 'cloud', type: 'anthropic', apiKey: 'k' },
    { name: 'local', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' },
  ],
  aliases: {
    'claude-*': { targets: ['cloud/claude-*', 'local/small'] },
    'claude-haiku-*': { targets: ['local/haiku-*'] },
    'claude-exact': { targets: ['local/exact'] },
    '*-mini': { targets: ['local/*'] },
    '*': { targets: ['local/any-*'] },
  },
};

const targetsOf = (name: string) => findAlias(name, settings)?.targets;

describe('a pattern', () => {
  test('stands for the names it matches, and its star for the matched text', () => {
    assert.deepEqual(targetsOf('claude-sonnet-5'), ['cloud/claude-sonnet-5', 'local/small']);
    assert.deepEqual(targetsOf('gpt-5-mini'), ['local/gpt-5']);
    assert.deepEqual(targetsOf('anything'), ['local/any-anything']);
  });

  test('gives way to an exact alias and to a longer pattern', () => {
    assert.deepEqual(targetsOf('claude-exact'), ['local/exact']);
    assert.deepEqual(targetsOf('claude-haiku-4'), ['local/haiku-4']);
  });

  test('needs at least one character for its star', () => {
    assert.deepEqual(findAlias('claude-', { ...settings, aliases: { 'claude-*': { targets: ['a/b'] } } }), undefined);
  });

  test('never takes a name of a provider', () => {
    assert.equal(targetsOf('cloud/claude-sonnet-5'), undefined);
    assert.equal(targetsOf('local'), undefined);
    assert.equal(resolveModel('cloud/claude-sonnet-5', settings).provider.name, 'cloud');
  });

  test('is a route with all its targets', () => {
    const { targets } = resolveRoute('claude-sonnet-5', settings);
    assert.deepEqual(
      targets.map(({ provider, model }) => `${provider.name}/${model}`),
      ['cloud/claude-sonnet-5', 'local/small'],
    );
  });

  test('treats text of the request as text', () => {
    assert.deepEqual(targetsOf('claude-$&-*'), ['cloud/claude-$&-*', 'local/small']);
    assert.deepEqual(targetsOf('claude-*'), ['cloud/claude-*', 'local/small']);
  });
});
