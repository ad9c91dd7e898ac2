// Both transports over real connections, for tests that must hold for each.

import type { TestContext } from 'node:test';
import { createFetchTransport } from '../../src/transport/fetch.ts';
import { createUndiciTransport } from '../../src/transport/lazy-undici.ts';
import type { Transport } from '../../src/transport/transport.ts';

// Loading undici before the first `fetch` would put undici's own agent under `fetch`; here Node's own is tested.
await fetch('data:,');
// Loaded now, so that no test waits for it.
await import('../../src/transport/undici.ts');

export interface CommonOptions {
  readonly maxResponseBytes?: number;
}

export const transports: Readonly<Record<'undici' | 'fetch', (options?: CommonOptions) => Transport>> = {
  undici: createUndiciTransport,
  fetch: createFetchTransport,
};

export type TransportName = keyof typeof transports;

export const transportNames = Object.keys(transports) as TransportName[];

/** Closed with the test. */
export function transportFor(context: TestContext, name: TransportName = 'undici', options?: CommonOptions): Transport {
  const transport = transports[name](options);
  context.after(() => transport.close());
  return transport;
}
