// Computes the cost of a response from its tokens and a price. The cost is `undefined` rather than wrong if the usage is
// missing or invalid.

import { promptTokens, type Usage } from '../core/usage.ts';
import type { Price, Rates } from './price-table.ts';

const million = 1_000_000;

/** In US dollars. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (price === undefined || usage.missing) return undefined;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  const reasoning = Math.min(usage.reasoning ?? 0, output);
  if (![input, output, cacheRead, cacheWrite, reasoning].every((count) => count >= 0)) return undefined;
  const rates = ratesFor(promptTokens(usage), price);
  const total =
    input * rates.input +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite * (rates.cacheWrite ?? rates.input) +
    (output - reasoning) * rates.output +
    reasoning * (rates.reasoning ?? rates.output);
  return Number.isFinite(total) ? total / million : undefined;
}

/** A long prompt raises the price of every token of the call, not only of those beyond the limit. */
function ratesFor(promptLength: number, price: Price): Rates {
  return price.tiers?.findLast(({ above }) => promptLength > above) ?? price;
}
