// Looking up prices, in lines of the test and in the snapshot itself for a few stable models.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadPriceBook, PriceBook } from './price.ts';
import { PriceTable } from './price-table.ts';

const table = new PriceTable({
  first: [
    'small,little 128000 1/2/0.5/1.25/3',
    'long 0 1/2 >1000=3/4 >2000=5/6',
    'changing 0 1/2 2030-01-01=3/4 2030-01-01>1000=5/6 22:00-23:30=7/8',
  ],
  second: ['first/small 64000 9/9', 'only-here-latest 0 4/4'],
});
const book = new PriceBook({}, table);
const at = (time: string) => book.priceOf('changing', 'first', new Date(time));

describe('a line of the snapshot', () => {
  test('has rates, under each of its names', () => {
    const price = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.25, reasoning: 3 };
    assert.deepEqual(book.priceOf('small', 'first'), price);
    assert.deepEqual(book.priceOf('little', 'first'), price);
    assert.equal(book.contextWindowOf('little', 'first'), 128_000);
  });

  test('has tiers', () => {
    const tiers = [
      { above: 1000, input: 3, output: 4 },
      { above: 2000, input: 5, output: 6 },
    ];
    assert.deepEqual(book.priceOf('long', 'first'), { input: 1, output: 2, tiers });
    assert.equal(book.contextWindowOf('long', 'first'), undefined);
  });

  test('has the rates at a given time', () => {
    assert.deepEqual(at('2029-12-31T21:59:59Z'), { input: 1, output: 2 });
    assert.deepEqual(at('2030-01-01T00:00:00Z'), {
      input: 3,
      output: 4,
      tiers: [{ above: 1000, input: 5, output: 6 }],
    });
    assert.deepEqual(at('2029-12-31T22:00:00Z'), { input: 7, output: 8 });
    assert.deepEqual(at('2030-06-01T23:29:59Z'), { input: 7, output: 8 });
    assert.equal(at('2030-06-01T23:30:00Z')?.input, 3);
  });
});

describe('the provider decides', () => {
  test('a vendor’s list applies only to the vendor', () => {
    assert.equal(book.priceOf('first/small', 'second')?.input, 9);
    assert.equal(book.priceOf('only-here', 'first'), undefined);
    assert.equal(book.priceOf('small', 'somebody-else'), undefined);
  });

  test('a name without a provider has the price of its vendor, else of the first list that has it', () => {
    assert.equal(book.priceOf('first/small')?.input, 1);
    assert.equal(book.priceOf('only-here')?.input, 4);
    assert.equal(book.priceOf('nobody-knows'), undefined);
  });

  test('a provider with a custom name has its vendor’s prices', () => {
    const named = new PriceBook({ providers: [{ name: 'mine', type: 'first' }] }, table);
    assert.equal(named.priceOf('small', 'mine')?.input, 1);
  });

  test('the simulated model is free', () => {
    assert.equal(book.costOf({ target: 'simulated', model: 'any', usage: { input: 5, output: 5 } }), 0);
  });

  test('made-up names do not fill the memory', () => {
    for (let count = 0; count < 3000; count++) assert.equal(book.priceOf(`made-up-${count}`), undefined);
    assert.equal(book.priceOf('small')?.input, 1);
  });
});

describe('a configured price', () => {
  const own = new PriceBook(
    {
      providers: [{ name: 'house', type: 'openai-compatible' }],
      prices: {
        'first/long': { input: 10 },
        'first/small': { contextWindow: 1000 },
        'house/Big-Model': { input: 1, output: 1, cacheRead: 0 },
        'house/half': { input: 1 },
      },
    },
    table,
  );

  test('overrides the snapshot, rate by rate and without its tiers', () => {
    assert.deepEqual(own.priceOf('long', 'first'), { input: 10, output: 2 });
    assert.equal(own.contextWindowOf('small', 'first'), 1000);
    assert.equal(own.priceOf('small', 'first')?.input, 1);
  });

  test('applies to unlisted models, in any spelling', () => {
    assert.deepEqual(own.priceOf('big-model', 'house'), { input: 1, output: 1, cacheRead: 0 });
    assert.equal(own.costOf({ target: 'house/Big-Model', model: 'weights.gguf', usage: { input: 1e6, output: 0 } }), 1);
    assert.equal(own.priceOf('big-model', 'first'), undefined);
  });

  test('is undefined if a rate is missing', () => assert.equal(own.priceOf('half', 'house'), undefined));
});

describe('the cost of a response', () => {
  const usage = { input: 1_000_000, output: 0 };

  test('is that of the model in the response, else of the requested one', () => {
    assert.equal(book.costOf({ target: 'first/small', model: 'long', usage }), 5);
    assert.equal(book.costOf({ target: 'first/small', model: 'unknown', usage }), 1);
    assert.equal(book.costOf({ target: 'first', model: 'small', usage }), 1);
    assert.equal(book.costOf({ target: 'first', usage }), undefined);
  });
});

test('the snapshot has models under all their names', async () => {
  const listed = await loadPriceBook();
  assert.deepEqual(listed.priceOf('gpt-4o', 'openai'), { input: 2.5, output: 10, cacheRead: 1.25 });
  assert.deepEqual(listed.priceOf('us.anthropic.claude-sonnet-4-5-20250929-v1:0'), listed.priceOf('claude-sonnet-4-5'));
  assert.equal(listed.contextWindowOf('claude-sonnet-4-5', 'anthropic'), 200_000);
  assert.equal(listed.priceOf('gpt-4o-and-a-half', 'openai'), undefined);
});
