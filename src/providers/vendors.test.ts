// The vendor table is consistent, and a row is enough to create a provider.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../core/error.ts';
import { text } from '../core/message.ts';
import { endpointUrl } from './endpoint.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { createVendorProvider, type VendorOptions } from './vendor-provider.ts';
import { vendorNamed, vendorOfModel, vendors, type VendorRow } from './vendors.ts';

/** The first request of a provider. */
async function firstRequest(vendor: string, options: Omit<VendorOptions, 'transport'>): Promise<TransportRequest> {
  const sent = Promise.withResolvers<TransportRequest>();
  const transport: Transport = {
    send(request) {
      sent.resolve(request);
      return Promise.reject(new SimpleAgentsError('network', 'not sent'));
    },
    close: () => Promise.resolve(),
  };
  const provider = createVendorProvider(vendorNamed(vendor) as VendorRow, { ...options, transport });
  const request = { model: 'm', maxTokens: 9, messages: [{ role: 'user', content: [text('Hi')] }] } as const;
  await assert.rejects(provider.open(request, new AbortController().signal), /not sent/);
  return sent.promise;
}

describe('the rows', () => {
  test('have unique names', () => {
    assert.equal(new Set(vendors.map(({ name }) => name)).size, vendors.length);
    for (const { name } of vendors) assert.equal(vendorNamed(name)?.name, name);
    assert.equal(vendorNamed('nobody'), undefined);
  });

  for (const { name, baseUrl, capabilities, quirks, needsKey, keyEnv } of vendors) {
    test(`${name} is consistent`, () => {
      const format = quirks?.responseFormat ?? 'json-schema';
      assert.equal(format === 'json-schema-only' ? 'json-schema' : format, capabilities.responseFormat);
      if (needsKey) assert.match(keyEnv ?? '', /^[A-Z_]+_API_KEY$/);
      if (baseUrl !== undefined) assert.doesNotMatch(endpointUrl(baseUrl, '/v1/messages').pathname, /\/v1\/v1/);
      if (needsKey) assert.match(baseUrl ?? '', /^https:/);
    });
  }
});

describe('a model name without a provider belongs to', () => {
  const rows: readonly (readonly [model: string, vendor: string | undefined])[] = [
    ['gpt-4o', 'openai'],
    ['gpt-oss:20b', 'ollama'],
    ['o3-mini', 'openai'],
    ['claude-sonnet-5-5', 'anthropic'],
    ['grok-4.3', 'xai'],
    ['deepseek-v4-pro', 'deepseek'],
    ['codestral-latest', 'mistral'],
    ['llama-3.3-70b', undefined],
    ['', undefined],
  ];
  for (const [model, vendor] of rows) {
    test(`${model}: ${vendor}`, () => assert.equal(vendorOfModel(model)?.name, vendor));
  }
});

describe('a vendor’s provider', () => {
  test('has the row’s address, auth, headers and quirks', async () => {
    const anthropic = await firstRequest('anthropic', { apiKey: 'k' });
    assert.equal(anthropic.url, 'https://api.anthropic.com/v1/messages');
    assert.equal(anthropic.headers['x-api-key'], 'k');
    assert.equal(anthropic.headers['anthropic-version'], '2023-06-01');
    const mistral = await firstRequest('mistral', { apiKey: 'k' });
    assert.equal(mistral.url, 'https://api.mistral.ai/v1/chat/completions');
    assert.equal(mistral.headers['authorization'], 'Bearer k');
    const body = JSON.parse(mistral.body ?? '') as Record<string, unknown>;
    assert.equal(body['max_tokens'], 9);
    assert.equal(body['stream_options'], undefined);
  });

  test('prefers options to the row', async () => {
    const options = { baseUrl: 'http://127.0.0.1:9/v1', headers: { 'anthropic-version': 'x' } };
    const { url, headers } = await firstRequest('anthropic', options);
    assert.equal(url, 'http://127.0.0.1:9/v1/messages');
    assert.equal(headers['anthropic-version'], 'x');
  });

  test('needs a base URL if the row has none', async () => {
    await assert.rejects(firstRequest('openai-compatible', { name: 'mine' }), /"mine" needs a base URL/);
  });
});
