// Reading environment variables.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isVendorPresent, processEnvironment, readProviderVariables, readProxyVariables } from './environment.ts';

test('the environment of the process is process.env', () => assert.equal(processEnvironment(), process.env));

describe('a provider’s key', () => {
  test('comes from the variable of its vendor', () => {
    const variables = readProviderVariables({ name: 'openai', type: 'openai' }, { OPENAI_API_KEY: ' key\n' });
    assert.deepEqual(variables, { keyEnv: 'OPENAI_API_KEY', apiKey: 'key' });
  });

  test('comes from the variable named in api_key_env', () => {
    const env = { OPENAI_API_KEY: 'wrong', MINE: 'right' };
    const variables = readProviderVariables({ name: 'openai', type: 'openai', keyEnv: 'MINE' }, env);
    assert.deepEqual(variables, { keyEnv: 'MINE', apiKey: 'right' });
  });

  test('may be missing or empty; the variable is still known', () => {
    const provider = { name: 'anthropic', type: 'anthropic' };
    assert.deepEqual(readProviderVariables(provider, {}), { keyEnv: 'ANTHROPIC_API_KEY' });
    assert.deepEqual(readProviderVariables(provider, { ANTHROPIC_API_KEY: '' }), { keyEnv: 'ANTHROPIC_API_KEY' });
  });

  test('is undefined for a compatible server without a variable', () => {
    assert.deepEqual(readProviderVariables({ name: 'x', type: 'openai-compatible' }, { OPENAI_API_KEY: 'key' }), {});
  });
});

describe('the URL variable of a vendor', () => {
  const env = { OPENAI_BASE_URL: 'http://localhost:1/v1' };
  const moved = (provider: { name: string; baseUrl?: string }) =>
    readProviderVariables({ type: 'openai', ...provider }, env).baseUrl;

  test('changes the provider with the vendor’s name, and any without a URL', () => {
    assert.equal(moved({ name: 'openai' }), env.OPENAI_BASE_URL);
    assert.equal(moved({ name: 'openai', baseUrl: 'https://file.example' }), env.OPENAI_BASE_URL);
    assert.equal(moved({ name: 'mine' }), env.OPENAI_BASE_URL);
  });

  test('does not change a provider with its own name and URL', () => {
    assert.equal(moved({ name: 'mine', baseUrl: 'https://file.example' }), undefined);
  });

  test('must be a URL', () => {
    assert.throws(() => readProviderVariables({ name: 'openai', type: 'openai' }, { OPENAI_BASE_URL: 'localhost:1' }), {
      kind: 'configuration',
      field: 'OPENAI_BASE_URL',
      message:
        'environment variable OPENAI_BASE_URL: must be an http or https URL, such as "https://api.example.com/v1"',
    });
  });
});

test('a vendor is present if its key is set, or its URL if it needs no key', () => {
  const known = { keyEnv: 'KEY', baseUrlEnv: 'URL', baseUrl: 'https://y' };
  assert.equal(isVendorPresent(known, { KEY: 'key' }), true);
  assert.equal(isVendorPresent(known, { URL: 'http://x' }), false);
  assert.equal(isVendorPresent({ ...known, isOpenElsewhere: true }, { URL: 'http://x' }), true);
  const { baseUrl: _none, ...unknown } = known;
  assert.equal(isVendorPresent(unknown, { KEY: 'key' }), false);
  assert.equal(isVendorPresent(unknown, { KEY: 'key', URL: 'http://x' }), true);
  assert.equal(isVendorPresent(unknown, { URL: 'http://x' }), false);
  assert.equal(isVendorPresent({ ...unknown, cloud: 'entra' }, { URL: 'http://x' }), true);
  assert.equal(isVendorPresent({ baseUrlEnv: 'URL' }, { URL: 'http://x' }), true);
  assert.equal(isVendorPresent({}, {}), false);
});

describe('the proxy variables', () => {
  test('are read in either case; lower case wins', () => {
    assert.deepEqual(readProxyVariables({ HTTP_PROXY: 'http://a', http_proxy: 'http://b', HTTPS_PROXY: 'https://c' }), {
      httpProxy: 'http://b',
      httpsProxy: 'https://c',
    });
    assert.deepEqual(readProxyVariables({ NO_PROXY: 'upper', no_proxy: 'localhost,.example' }), {
      noProxy: 'localhost,.example',
    });
  });

  test('may be empty, omit the scheme, and contain a password', () => {
    assert.deepEqual(readProxyVariables({ HTTP_PROXY: '', https_proxy: 'me:secret@proxy:3128' }), {
      httpsProxy: 'http://me:secret@proxy:3128',
    });
  });

  test('are rejected if they are not URLs, by a message without the value', () => {
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
