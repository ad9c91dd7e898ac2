// What stands around every single target: a breaker, and around that retry, so that each attempt counts for the breaker.

import type { Provider } from '../../core/provider.ts';
import { Breaker, withBreaker, type BreakerSettings } from './breaker.ts';
import { withRetry, type RetrySettings } from './retry.ts';
import type { World } from '../../core/clock.ts';

export interface GuardSettings {
  /** `false`: every call is made once. */
  readonly retry?: Partial<RetrySettings> | false;
  /** `false`: failing targets are asked all the same. */
  readonly breaker?: Partial<BreakerSettings> | false;
}

export interface Guarded {
  readonly provider: Provider;
  readonly breaker?: Breaker;
}

export interface GuardedPlace {
  /** `provider/model`, as events call it. */
  readonly target: string;
  readonly world: World;
  /** What is known of the target already. */
  readonly breaker?: Breaker;
}

export function guard(
  provider: Provider,
  { retry = {}, breaker: breaking = {} }: GuardSettings,
  { breaker: known, ...place }: GuardedPlace,
): Guarded {
  const retrying = { ...(retry === false ? { maxAttempts: 1 } : retry), ...place };
  if (breaking === false) return { provider: withRetry(provider, retrying) };
  const breaker = known ?? new Breaker(breaking);
  return { provider: withRetry(withBreaker(provider, { breaker, ...place }), retrying), breaker };
}
