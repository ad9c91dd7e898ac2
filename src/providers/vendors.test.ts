// The vendor table is consistent, and a row is enough to create a provider.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { SimpleAgentsError } from '../core/error.ts';
import { text } from '../core/message.ts';
import { compatibleVendors } from './compatible-vendors.ts';
import { endpointUrl } from './endpoint.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { createVendorProvider, type VendorOptions } from './vendor-provider.ts';
import { apiVersions } from '../wire/anthropic-messages/api-version.ts';
import { hasWire, vendorNamed, vendorOf, vendorOfModel, vendors, type VendorRow } from './vendors.ts';

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

  test('have versions that exist, the oldest first, and are called with one of them', () => {
    for (const { versions, headers } of vendors) {
      if (versions === undefined) continue;
      assert.deepEqual(
        versions,
        apiVersions.filter((known) => versions.includes(known)),
      );
      assert.ok(versions.includes(headers?.['anthropic-version'] ?? ''));
    }
  });

  for (const { name, baseUrl, capabilities, quirks, needsKey, keyEnv } of vendors) {
    test(`${name} is consistent`, () => {
      const format = quirks?.responseFormat ?? 'json-schema';
      assert.equal(format === 'json-schema-only' ? 'json-schema' : format, capabilities.responseFormat);
      if (needsKey) assert.match(keyEnv ?? '', /^[A-Z_]+_(?:API_KEY|TOKEN)$/);
      if (baseUrl !== undefined) assert.doesNotMatch(endpointUrl(baseUrl, '/v1/messages').pathname, /\/v1\/v1/);
      if (needsKey && baseUrl !== undefined) assert.match(baseUrl, /^https:/);
    });
  }
});

test('every row is in docs/providers.md, with its key and its address', () => {
  const manual = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
  for (const { name, wire, keyEnv, baseUrl } of vendors) {
    const line = manual.split('\n').find((each) => each.startsWith(`| \`${name}\` | ${wire} | `));
    assert.ok(line !== undefined, name);
    if (keyEnv !== undefined) assert.ok(line.includes(`\`${keyEnv}\``), line);
    if (baseUrl !== undefined) assert.ok(line.includes(`\`${baseUrl}\``), line);
  }
  for (const { name } of compatibleVendors) {
    assert.match(
      manual,
      new RegExp(`^\\| \`${name}\` .*(?:not checked|checked on \\d{4}-\\d\\d-\\d\\d), never called`, 'm'),
    );
  }
});

describe('the documented endpoint of', () => {
  const rows: Readonly<Record<string, string>> = {
    cohere: 'https://api.cohere.ai/compatibility/v1/chat/completions',
    cerebras: 'https://api.cerebras.ai/v1/chat/completions',
    sambanova: 'https://api.sambanova.ai/v1/chat/completions',
    perplexity: 'https://api.perplexity.ai/v1/responses',
    nvidia: 'https://integrate.api.nvidia.com/v1/chat/completions',
    huggingface: 'https://router.huggingface.co/v1/chat/completions',
    deepinfra: 'https://api.deepinfra.com/v1/openai/chat/completions',
    moonshot: 'https://api.moonshot.ai/v1/chat/completions',
    zai: 'https://api.z.ai/api/paas/v4/chat/completions',
    zhipu: 'https://open.bigmodel.cn/api/paas/v4/chat/completions',
    dashscope: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions',
    minimax: 'https://api.minimax.io/anthropic/v1/messages',
    nebius: 'https://api.tokenfactory.nebius.com/v1/chat/completions',
    novita: 'https://api.novita.ai/openai/v1/chat/completions',
    vercel: 'https://ai-gateway.vercel.sh/v1/chat/completions',
  };
  for (const { name, baseUrl } of compatibleVendors) {
    test(name, async () => {
      const own = 'https://api.cloudflare.com/client/v4/accounts/abc/ai/v1';
      const sent = await firstRequest(name, { apiKey: 'k', ...(baseUrl === undefined ? { baseUrl: own } : {}) });
      assert.equal(sent.url, rows[name] ?? `${own}/chat/completions`);
      assert.equal(sent.headers['authorization'] ?? sent.headers['x-api-key'], name === 'minimax' ? 'k' : 'Bearer k');
    });
  }

  test('azure-openai, with or without the path', async () => {
    for (const baseUrl of ['https://r.openai.azure.com', 'https://r.openai.azure.com/openai/v1/']) {
      const { url, headers } = await firstRequest('azure-openai', { apiKey: 'k', baseUrl });
      assert.equal(url, 'https://r.openai.azure.com/openai/v1/chat/completions');
      assert.deepEqual([headers['api-key'], headers['authorization']], ['k', undefined]);
    }
  });

  test('cohere, without the field that it rejects', async () => {
    const { body = '' } = await firstRequest('cohere', { apiKey: 'k' });
    assert.doesNotMatch(body, /stream_options/);
  });
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
    ['kimi-k2.6', 'moonshot'],
    ['glm-5', 'zai'],
    ['command-a-03-2025', 'cohere'],
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

  test('speaks the Responses wire if its settings choose it', () => {
    assert.equal(vendorOf({ type: 'openai' })?.wire, 'openai-chat');
    assert.equal(vendorOf({ type: 'openai', wire: 'openai-responses' })?.wire, 'openai-responses');
    assert.equal(vendorOf({ type: 'nobody', wire: 'openai-responses' }), undefined);
    const pairs = [
      hasWire('groq', 'openai-responses'),
      hasWire('anthropic', 'anthropic-messages'),
      hasWire('anthropic', 'openai-responses'),
      hasWire('openai', 'anthropic-messages'),
    ];
    assert.deepEqual(pairs, [true, true, false, false]);
  });

  test('needs a base URL if the row has none', async () => {
    await assert.rejects(firstRequest('openai-compatible', { name: 'mine' }), /"mine" needs a base URL/);
  });
});
