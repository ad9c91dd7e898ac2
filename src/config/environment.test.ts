// What variables mean, with environments made up for it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isVendorPresent, processEnvironment, readProviderVariables, readProxyVariables } from './environment.ts';

test('the environment of the process is the one it runs in', () => assert.equal(processEnvironment(), process.env));

describe('a provider’s key', () => {
  test('comes from its vendor’s variable', () => {
    const variables = readProviderVariables({ name: 'openai', type: 'openai' }, { OPENAI_API_KEY: ' key\n' });
    assert.deepEqual(variables, { keyEnv: 'OPENAI_API_KEY', apiKey: 'key' });
  });

  test('comes from the variable it names', () => {
    const env = { OPENAI_API_KEY: 'wrong', MINE: 'right' };
    const variables = readProviderVariables({ name: 'openai', type: 'openai', keyEnv: 'MINE' }, env);
    assert.deepEqual(variables, { keyEnv: 'MINE', apiKey: 'right' });
  });

  test('may be missing or empty, and then only the variable is known', () => {
    const provider = { name: 'anthropic', type: 'anthropic' };
    assert.deepEqual(readProviderVariables(provider, {}), { keyEnv: 'ANTHROPIC_API_KEY' });
    assert.deepEqual(readProviderVariables(provider, { ANTHROPIC_API_KEY: '' }), { keyEnv: 'ANTHROPIC_API_KEY' });
  });

  test('is nowhere for a compatible server that names no variable', () => {
    assert.deepEqual(readProviderVariables({ name: 'x', type: 'openai-compatible' }, { OPENAI_API_KEY: 'key' }), {});
  });
});

describe('a vendor’s address variable', () => {
  const env = { OPENAI_BASE_URL: 'http://localhost:1/v1' };
  const moved = (provider: { name: string; baseUrl?: string }) =>
    readProviderVariables({ type: 'openai', ...provider }, env).baseUrl;

  test('moves the provider that has the vendor’s name, and any without an address', () => {
    assert.equal(moved({ name: 'openai' }), env.OPENAI_BASE_URL);
    assert.equal(moved({ name: 'openai', baseUrl: 'https://file.example' }), env.OPENAI_BASE_URL);
    assert.equal(moved({ name: 'mine' }), env.OPENAI_BASE_URL);
  });

  test('does not move a provider with a name and an address of its own', () => {
    assert.equal(moved({ name: 'mine', baseUrl: 'https://file.example' }), undefined);
  });

  test('must be an address', () => {
    assert.throws(() => readProviderVariables({ name: 'openai', type: 'openai' }, { OPENAI_BASE_URL: 'localhost:1' }), {
      kind: 'configuration',
      field: 'OPENAI_BASE_URL',
      message:
        'environment variable OPENAI_BASE_URL: must be an http or https URL, such as "https://api.example.com/v1"',
    });
  });
});

test('a vendor is present with its key, or one without keys with its address', () => {
  assert.equal(isVendorPresent({ keyEnv: 'KEY' }, { KEY: 'key' }), true);
  assert.equal(isVendorPresent({ keyEnv: 'KEY', baseUrlEnv: 'URL' }, { URL: 'http://x' }), false);
  assert.equal(isVendorPresent({ baseUrlEnv: 'URL' }, { URL: 'http://x' }), true);
  assert.equal(isVendorPresent({}, {}), false);
});

describe('the proxy variables', () => {
  test('are read in either case, small letters first', () => {
    assert.deepEqual(readProxyVariables({ HTTP_PROXY: 'http://a', http_proxy: 'http://b', HTTPS_PROXY: 'https://c' }), {
      httpProxy: 'http://b',
      httpsProxy: 'https://c',
    });
    assert.deepEqual(readProxyVariables({ NO_PROXY: 'upper', no_proxy: 'localhost,.example' }), {
      noProxy: 'localhost,.example',
    });
  });

  test('may be empty, leave out the scheme, and hold a password', () => {
    assert.deepEqual(readProxyVariables({ HTTP_PROXY: '', https_proxy: 'me:secret@proxy:3128' }), {
      httpsProxy: 'http://me:secret@proxy:3128',
    });
  });

  test('are refused by name and not by value when they are no address', () => {
    assert.throws(
      () => readProxyVariables({ https_proxy: 'socks5://me:secret@proxy' }),
      (error: Error) => {
        assert.match(error.message, /^environment variable https_proxy: must be an http or https URL/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  });
});
