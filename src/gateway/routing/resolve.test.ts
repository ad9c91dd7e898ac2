// Resolving a model name: every step of the order, and the errors for unknown names.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../../core/error.ts';
import { resolveModel, type ResolveSettings } from './resolve.ts';

const settings: ResolveSettings = {
  providers: [
    { name: 'openai', type: 'openai', model: 'gpt-4o', models: ['gpt-4o-mini'] },
    { name: 'work', type: 'anthropic' },
    { name: 'house', type: 'openai-compatible', models: ['llama', 'claude-copy'] },
    { name: 'openrouter', type: 'openrouter' },
    { name: 'simulated', type: 'simulated' },
  ],
  aliases: {
    fast: { targets: ['openai/gpt-4o-mini', 'work/claude-haiku-5-5'] },
    house: { targets: ['openai/gpt-4o'] },
    constructor: { targets: ['house/llama'] },
  },
};

function resolve(name: string | undefined, more: Partial<ResolveSettings> = {}): string {
  const { provider, model } = resolveModel(name, { ...settings, ...more });
  return `${provider.name} ${model}`;
}

describe('a model name is', () => {
  const cases: readonly (readonly [name: string, expected: string, why: string])[] = [
    ['fast', 'openai gpt-4o-mini', 'an alias: its first target'],
    ['house', 'openai gpt-4o', 'an alias before a provider of that name'],
    ['constructor', 'house llama', 'an alias, whatever it is called'],
    ['openai/o3', 'openai o3', 'a provider and its model'],
    ['openrouter/openai/gpt-4o', 'openrouter openai/gpt-4o', 'a provider and the rest, slashes and all'],
    ['work', 'work claude-sonnet-5-5', 'a provider, with the vendor’s own model'],
    ['openai', 'openai gpt-4o', 'a provider, with the model it was given'],
    ['simulated', 'simulated simulated', 'the simulated model'],
    ['llama', 'house llama', 'a model some provider lists'],
    ['claude-copy', 'house claude-copy', 'listed, before the vendor whose models are called so'],
    ['claude-opus-5', 'work claude-opus-5', 'one of a vendor’s, at whichever provider is of that type'],
  ];
  for (const [name, expected, why] of cases) {
    test(`${why}: ${name}`, () => assert.equal(resolve(name), expected));
  }

  test('the default provider’s when nothing else decides', () => {
    assert.equal(resolve('qwen3', { defaultProvider: 'house' }), 'house qwen3');
    assert.equal(resolve('elsewhere/qwen3', { defaultProvider: 'openrouter' }), 'openrouter elsewhere/qwen3');
  });

  test('never the default provider’s when it names another vendor and that provider serves its own models only', () => {
    const defaultProvider = 'work';
    const withoutOpenai = { providers: settings.providers.filter(({ name }) => name !== 'openai'), defaultProvider };
    assert.throws(() => resolve('gpt-5', { ...withoutOpenai, onlyConfigured: true }), /it is a model of OpenAI/);
    assert.throws(
      () => resolve('openai/gpt-5', { ...withoutOpenai, onlyConfigured: true }),
      /no provider of type "openai"/,
    );
    assert.equal(resolve('openai/gpt-5', withoutOpenai), 'openai gpt-5');
    assert.equal(resolve('qwen3', { defaultProvider }), 'work qwen3');
  });

  test('an unconfigured vendor’s, when it is named explicitly', () => {
    assert.equal(resolve('ollama/qwen3'), 'ollama qwen3');
    assert.equal(resolve('groq/openai/gpt-oss-20b'), 'groq openai/gpt-oss-20b');
    assert.equal(resolve('ollama/qwen3', { defaultProvider: 'house' }), 'house ollama/qwen3');
  });
});

describe('without a name', () => {
  test('the default model is used, in any spelling', () => {
    assert.equal(resolve(undefined, { defaultModel: 'fast' }), 'openai gpt-4o-mini');
    assert.equal(resolve('', { defaultModel: 'house/llama', defaultProvider: 'work' }), 'house llama');
    assert.equal(resolve(undefined, { defaultModel: 'qwen3', defaultProvider: 'house' }), 'house qwen3');
  });

  test('else the default provider’s own model, or that of the first provider', () => {
    assert.equal(resolve(undefined, { defaultProvider: 'house' }), 'house llama');
    assert.equal(resolve(undefined), 'openai gpt-4o');
    assert.equal(resolve(undefined, { defaultModel: '' }), 'openai gpt-4o');
  });

  test('it is an error if there is no model', () => {
    const lonely: ResolveSettings = { providers: [{ name: 'house', type: 'openai-compatible' }] };
    for (const nothing of [lonely, { providers: [] }]) {
      assert.throws(
        () => resolveModel(undefined, nothing),
        (error) =>
          error instanceof SimpleAgentsError &&
          error.kind === 'bad-request' &&
          error.field === 'model' &&
          /provider\/model/.test(error.message),
      );
    }
  });
});

describe('an unknown name', () => {
  const only: ResolveSettings = {
    providers: [
      { name: 'house', type: 'openai-compatible', models: ['llama-3.3-70b'] },
      { name: 'simulated', type: 'simulated' },
    ],
    aliases: { fast: { targets: ['house/llama-3.3-70b'] } },
  };
  const cases: readonly (readonly [name: string, expected: RegExp])[] = [
    ['qwen', /^no provider serves the model "qwen"\. Available: fast, house\/…, simulated\/…$/],
    ['gpt-4o', /it is a model of OpenAI: set OPENAI_API_KEY to use it/],
    ['fats', /; did you mean "fast"\? Available: fast, /],
    ['llama-3.3-70', /; did you mean "llama-3.3-70b"\?/],
    ['hosue/x', /; did you mean "house\/x"\?/],
    ['antropic/claude', /; did you mean "anthropic\/claude"\?/],
    ['house/', /; name a model: house\/MODEL/],
    ['openai/', /no provider serves the model "openai\/"/],
    ['/x', /no provider serves/],
    ['openai-compatible/x', /no provider serves/],
  ];
  for (const [name, expected] of cases) {
    test(name, () => {
      assert.throws(
        () => resolveModel(name, only),
        (error) => {
          assert.ok(error instanceof SimpleAgentsError);
          assert.match(error.message, expected);
          assert.deepEqual([error.kind, error.field], ['not-found', 'model']);
          return true;
        },
      );
    });
  }
});
