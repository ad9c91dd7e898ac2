// Common spellings of base URLs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointUrl } from './endpoint.ts';

const rows: readonly (readonly [baseUrl: string, path: string, expected: string])[] = [
  ['https://api.anthropic.com', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['https://api.anthropic.com/', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['https://api.anthropic.com/v1', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['https://api.anthropic.com/v1//', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['https://api.anthropic.com/v1/messages', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['https://host/anthropic', '/v1/messages', 'https://host/anthropic/v1/messages'],
  ['https://host/not-v1', '/v1/messages', 'https://host/not-v1/v1/messages'],
  ['http://127.0.0.1:8000/v1/', '/chat/completions', 'http://127.0.0.1:8000/v1/chat/completions'],
  ['https://host/v1/chat/completions/', '/chat/completions', 'https://host/v1/chat/completions'],
  ['https://host/openai/d?api-version=1', '/chat/completions', 'https://host/openai/d/chat/completions?api-version=1'],
];

for (const [baseUrl, path, expected] of rows) {
  test(`${baseUrl} with ${path}`, () => assert.equal(endpointUrl(baseUrl, path).href, expected));
}

test('an incomplete URL is rejected', () => {
  for (const baseUrl of ['', 'host/v1', '/v1', 'file:///v1']) {
    assert.throws(() => endpointUrl(baseUrl, '/v1/messages'), /must be a complete URL like https:/);
  }
});
