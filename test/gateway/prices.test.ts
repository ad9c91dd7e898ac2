// The price snapshot matches the output of its script, and our costs match the calculator of the price list.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { renderPriceData } from '../../scripts/prices.ts';
import { promptTokens, type Usage } from '../../src/core/usage.ts';
import { loadPriceBook } from '../../src/prices/price.ts';

const usages: readonly Usage[] = [
  { input: 1, output: 1 },
  { input: 1200, output: 345, reasoning: 200 },
  { input: 0, output: 9, cacheRead: 5000, cacheWrite: 0 },
  { input: 100, output: 2000, cacheRead: 20_000, cacheWrite: 3000 },
  { input: 199_000, output: 10, cacheRead: 500, cacheWrite: 500 },
  { input: 199_001, output: 10, cacheRead: 500, cacheWrite: 500 },
  { input: 50_000, output: 8000, cacheRead: 250_000, cacheWrite: 50_000, reasoning: 8000 },
];

const times = ['2026-10-05T02:30:00Z', '2026-10-05T12:00:00Z', '2026-12-24T23:59:59Z'].map((time) => new Date(time));

/** Our name of a vendor, and the name in genai-prices. */
const checked = [
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['google', 'google'],
  ['mistral', 'mistral'],
  ['deepseek', 'deepseek'],
  ['xai', 'x-ai'],
  ['groq', 'groq'],
  ['moonshot', 'moonshotai'],
  ['minimax', 'minimax'],
  ['novita', 'novita'],
  ['cloudflare', 'cloudflare'],
  ['azure-openai', 'azure'],
  ['bedrock', 'aws'],
  ['openrouter', 'openrouter'],
] as const;

test('the snapshot is the output of `npm run prices` for the installed lists', () => {
  const file = join(import.meta.dirname, '../../src/prices/prices.json');
  assert.equal(readFileSync(file, 'utf8'), renderPriceData(), 'run `npm run prices`');
});

describe('the cost equals that of the list’s own calculator', () => {
  for (const [ours, theirs] of checked) {
    test(ours, async () => {
      const book = await loadPriceBook();
      let compared = 0;
      for (const { id } of findProvider({ providerId: theirs })?.models ?? []) {
        for (const timestamp of times) {
          for (const usage of usages) {
            const expected = expectedCost(usage, id, theirs, timestamp);
            if (expected === undefined || book.priceOf(id, ours) === undefined) continue;
            compared++;
            assertClose(book.costOf({ target: ours, model: id, usage }, timestamp), expected, `${ours}/${id}`);
          }
        }
      }
      assert.ok(compared >= 100, `only ${compared} were compared`);
    });
  }
});

function expectedCost(usage: Usage, model: string, providerId: string, timestamp: Date): number | undefined {
  const { output, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage;
  const counts = {
    'input_tokens': promptTokens(usage),
    'output_tokens': output,
    'cache_read_tokens': cacheRead,
    'cache_write_tokens': cacheWrite,
    'output_reasoning_tokens': reasoning,
  };
  const result = calcPrice(counts, model, { providerId, timestamp });
  // If its rules match the id of another model, there is nothing to compare.
  return result?.model.id === model ? result.total_price : undefined;
}

function assertClose(actual: number | undefined, expected: number, what: string): void {
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= 1e-9 * Math.max(1, expected),
    `${what}: ${actual} is not ${expected}`,
  );
}
