// How the tiers are merged: precedence, and the order of providers.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveSettings, type SettingsTier } from './settings.ts';

const names = (settings: ReturnType<typeof resolveSettings>) => settings.providers.map(({ name }) => name);

const timeouts = (file: SettingsTier, code: SettingsTier = {}) => resolveSettings({ file, env: {}, code }).timeouts;

const cacheOf = (file: SettingsTier['cache'], env = {}, code: SettingsTier['cache'] = {}) =>
  resolveSettings({ file: { cache: file ?? {} }, env, code: { cache: code } }).cache;

describe('settings without any source', () => {
  test('are the defaults and the simulated model', () => {
    assert.deepEqual(resolveSettings({ env: {} }), {
      aliases: {},
      providers: [{ name: 'simulated', type: 'simulated' }],
      timeouts: {},
      proxy: {},
      network: {},
      healing: { enabled: true, strict: false, coerceTypes: true, minConfidence: 0.7 },
      prices: {},
      cache: {
        enabled: false,
        backend: 'memory',
        ttl: 3_600_000,
        share: false,
        maxBytes: 67_108_864,
        urlEnv: 'REDIS_URL',
        timeout: 50,
      },
      server: {
        host: '127.0.0.1',
        port: 4000,
        bodyLimit: 33_554_432,
        maxBodyValues: 100_000,
        uploadLimit: 536_870_912,
        maxConnections: 10_000,
        requestTimeout: 120_000,
        keepAlive: 15_000,
        drain: 30_000,
        logLevel: 'info',
      },
      chat: { temperature: 0.3, maxTokens: 4096, rateLimit: 30, rateWindow: 60_000, logToolInput: false },
    });
  });
});

describe('the cache', () => {
  test('has the URL of Redis from the configured variable, only if Redis is used', () => {
    const env = { REDIS_URL: 'redis://one', OTHER: 'rediss://two' };
    assert.equal(cacheOf({ backend: 'redis' }, env).url, 'redis://one');
    assert.equal(cacheOf({ backend: 'redis', urlEnv: 'OTHER' }, env).url, 'rediss://two');
    assert.equal(cacheOf({}, env).url, undefined);
    assert.equal(cacheOf({ backend: 'redis' }).url, undefined);
    const wrong = { REDIS_URL: 'http://:secret@host' };
    assert.throws(() => cacheOf({ backend: 'redis' }, wrong), {
      message: 'environment variable REDIS_URL: must be a redis or rediss URL, such as "redis://127.0.0.1:6379"',
    });
    assert.equal(cacheOf({}, wrong).url, undefined);
  });

  test('is set by code, then by the file', () => {
    const { enabled, ttl } = cacheOf({ enabled: true, ttl: 5 }, {}, { ttl: 7 });
    assert.deepEqual([enabled, ttl], [true, 7]);
  });
});

describe('providers', () => {
  test('are those of the file, then vendors with a key in the vendors’ order, then the simulated model', () => {
    const env = { GROQ_API_KEY: 'g', ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' };
    const file = {
      providers: [
        { name: 'mine', type: 'mistral' },
        { name: 'openai', type: 'openai' },
      ],
    };
    const settings = resolveSettings({ file, env });
    assert.deepEqual(names(settings), ['mine', 'openai', 'anthropic', 'groq', 'simulated']);
    assert.deepEqual(settings.providers[1], {
      name: 'openai',
      type: 'openai',
      keyEnv: 'OPENAI_API_KEY',
      apiKey: 'o',
    });
  });

  test('include vendors that are mentioned, so that the error can name the missing key', () => {
    const file = {
      defaultProvider: 'groq',
      defaultModel: 'openai/gpt-4o',
      aliases: { fast: { targets: ['mistral/small', 'mine/x'] } },
    };
    assert.deepEqual(names(resolveSettings({ file, env: {} })), ['openai', 'groq', 'mistral', 'simulated']);
  });

  test('include a protocol that the code mentions, whose URL it will add', () => {
    const settings = resolveSettings({ env: {}, code: { defaultProvider: 'openai-compatible' } });
    assert.deepEqual(names(settings), ['openai-compatible', 'simulated']);
  });

  test('keep the position of the simulated model in the file', () => {
    const file = { providers: [{ name: 'simulated', type: 'simulated', seed: 7 }] };
    const settings = resolveSettings({ file, env: { OPENAI_API_KEY: 'o' } });
    assert.deepEqual(names(settings), ['simulated', 'openai']);
    assert.equal(settings.providers[0]?.seed, 7);
  });

  test('from code change those of the file in place; new ones come first', () => {
    const file = { providers: [{ name: 'a', type: 'openai', model: 'x', baseUrl: 'https://file.example' }] };
    const code = {
      providers: [
        { name: 'a', type: 'openai', baseUrl: 'https://code.example' },
        { name: 'anthropic', type: 'anthropic', apiKey: 'given' },
      ],
    };
    const settings = resolveSettings({ file, env: { ANTHROPIC_API_KEY: 'found', OPENAI_API_KEY: 'o' }, code });
    assert.deepEqual(names(settings), ['anthropic', 'a', 'openai', 'simulated']);
    assert.equal(settings.providers[0]?.apiKey, 'given');
    assert.deepEqual(settings.providers[1], {
      name: 'a',
      type: 'openai',
      model: 'x',
      keyEnv: 'OPENAI_API_KEY',
      apiKey: 'o',
      baseUrl: 'https://code.example',
    });
  });
});

describe('the tiers', () => {
  test('defaults < file < environment < code', () => {
    const file = {
      defaultModel: 'file',
      maxTokens: 1,
      aliases: { a: { targets: ['openai/file'] }, b: { targets: ['openai/file'] } },
      proxy: { httpProxy: 'http://file', httpsProxy: 'http://file', noProxy: 'file' },
      providers: [{ name: 'openai', type: 'openai', baseUrl: 'https://file.example', model: 'file' }],
    };
    const env = { HTTP_PROXY: 'http://env', HTTPS_PROXY: 'http://env', OPENAI_BASE_URL: 'https://env.example' };
    const code = {
      defaultModel: 'code',
      aliases: { b: { targets: ['openai/code'] } },
      proxy: { httpProxy: 'http://code' },
    };
    const settings = resolveSettings({ file, env, code });
    assert.equal(settings.defaultModel, 'code');
    assert.equal(settings.maxTokens, 1);
    assert.deepEqual(settings.aliases, { a: { targets: ['openai/file'] }, b: { targets: ['openai/code'] } });
    assert.deepEqual(settings.proxy, { httpProxy: 'http://code', httpsProxy: 'http://env', noProxy: 'file' });
    assert.equal(settings.providers[0]?.baseUrl, 'https://env.example');
    assert.equal(settings.providers[0]?.model, 'file');
  });

  test('undefined values in code do not override the file', () => {
    const undefinedModel: { defaultModel?: string } = JSON.parse('{}');
    Object.assign(undefinedModel, { defaultModel: undefined, proxy: { httpProxy: undefined } });
    const file = { defaultModel: 'file', proxy: { httpProxy: 'http://file' } };
    const settings = resolveSettings({ file, env: {}, code: undefinedModel });
    assert.equal(settings.defaultModel, 'file');
    assert.equal(settings.proxy.httpProxy, 'http://file');
  });
});

describe('timeouts', () => {
  test('a general timeout applies to the first token and to a call that is not streamed', () => {
    const expected = { firstToken: 5, plainTotal: 5 };
    assert.deepEqual(timeouts({ timeout: 5 }), expected);
  });

  test('a specific one overrides the general one of the same tier', () => {
    const expected = { firstToken: 7, total: 8, plainTotal: 8 };
    assert.deepEqual(timeouts({ timeout: 5, timeouts: { firstToken: 7, total: 8 } }), expected);
  });

  test('code overrides the file', () => {
    assert.deepEqual(timeouts({ timeout: 5 }, { timeouts: { total: 9 } }), {
      firstToken: 5,
      total: 9,
      plainTotal: 9,
    });
    assert.equal(timeouts({ timeouts: { firstToken: 7 } }, { timeout: 6 }).firstToken, 6);
  });

  test('code overrides what the file sets for one provider', () => {
    const file = { providers: [{ name: 'a', type: 'openai', timeouts: { firstToken: 1, plainTotal: 1 } }] };
    const [provider] = resolveSettings({ file, env: {}, code: { timeout: 2 } }).providers;
    assert.deepEqual(provider?.timeouts, { firstToken: 2, plainTotal: 2 });
    const [unchanged] = resolveSettings({ file, env: {} }).providers;
    assert.deepEqual(unchanged?.timeouts, { firstToken: 1, plainTotal: 1 });
  });
});

describe('healing', () => {
  test('is merged field by field', () => {
    const file = { healing: { strict: true, minConfidence: 0.5 } };
    const { healing } = resolveSettings({ file, env: {}, code: { healing: { minConfidence: 0.9 } } });
    assert.deepEqual(healing, { enabled: true, strict: true, coerceTypes: true, minConfidence: 0.9 });
  });
});
