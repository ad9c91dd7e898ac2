// What the options of a client may contain, for programs that no compiler checks and for options that other languages send
// as JSON.

import { errorTable } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import {
  amountShape,
  booleanShape,
  closedObjectOf,
  countShape,
  fractionShape,
  functionShape,
  isString,
  listOf,
  numberShape,
  objectOf,
  oneOf,
  optional,
  orElse,
  recordOf,
  shapeOf,
  stringShape,
  wholeShape,
  type MemberShapes,
  type Shape,
} from '../core/shape.ts';
import type { BreakerSettings } from '../gateway/resilience/breaker.ts';
import type { Cache } from '../gateway/cache/cache.ts';
import type { RoutingSettings } from '../gateway/gateway.ts';
import type { AliasSettings, ChainSettings } from '../gateway/routing/resolve.ts';
import type { RetrySettings } from '../gateway/resilience/retry.ts';
import { strategyNames, type Strategy } from '../gateway/routing/strategy.ts';
import type { ClientCacheOptions, ClientOptions } from './options.ts';
import { healingShape } from './request-shape.ts';

const durationShape = orElse(
  isString,
  shapeOf('must be milliseconds or a duration such as "30s"', (value) => Number.isFinite(value) && Number(value) >= 0),
);
const errorKinds = listOf(oneOf(...Object.keys(errorTable)));
const targets = listOf(stringShape, 'must be an array of strings');
const isFalse = (value: unknown): boolean => value === false;
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isFunction = (value: unknown): boolean => typeof value === 'function';

const ownProvider = objectOf<Pick<Provider, 'name' | 'open'>>({ name: stringShape, open: functionShape });
const ownCache = objectOf<Cache>({ get: functionShape, set: functionShape, delete: functionShape });
const ownStrategy = objectOf<Pick<Strategy, 'order'>>({ order: functionShape });
const strategyName = oneOf(...strategyNames);
const strategy: Shape = (value, path) => (isRecord(value) ? ownStrategy : strategyName)(value, path);

const cacheOptions = closedObjectOf<ClientCacheOptions>({
  ttl: optional(durationShape),
  maxBytes: optional(shapeOf('must be a whole number of bytes, at least 1', isPositiveInteger)),
});
const cache: Shape = (value, path) => (isRecord(value) && 'get' in value ? ownCache : cacheOptions)(value, path);

function isPositiveInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

type Part<K extends keyof ClientOptions> = Exclude<NonNullable<ClientOptions[K]>, boolean>;

const timeouts: MemberShapes<Part<'timeouts'>> = {
  connect: optional(amountShape),
  firstToken: optional(amountShape),
  idle: optional(amountShape),
  total: optional(amountShape),
  plainTotal: optional(amountShape),
};
const proxy: MemberShapes<Part<'proxy'>> = {
  httpProxy: optional(stringShape),
  httpsProxy: optional(stringShape),
  noProxy: optional(stringShape),
};
const network: MemberShapes<Part<'network'>> = {
  caFile: optional(stringShape),
  clientCertFile: optional(stringShape),
  clientKeyFile: optional(stringShape),
  maxConnections: optional(countShape),
  http2: optional(booleanShape),
  localAddress: optional(stringShape),
  keepAlive: optional(amountShape),
};
const price: MemberShapes<Part<'prices'>[string]> = {
  input: optional(amountShape),
  output: optional(amountShape),
  cacheRead: optional(amountShape),
  cacheWrite: optional(amountShape),
  reasoning: optional(amountShape),
  contextWindow: optional(countShape),
};
const alias: MemberShapes<AliasSettings> = {
  targets,
  strategy: optional(strategy),
  weights: optional(listOf(amountShape)),
};
const chain: MemberShapes<ChainSettings> = {
  model: optional(stringShape),
  targets,
  fallbackOn: optional(errorKinds),
};
const router: MemberShapes<RoutingSettings> = {
  strategy: optional(strategy),
  fallbackEnabled: optional(booleanShape),
  fallbackOn: optional(errorKinds),
  onCut: optional(oneOf('fail', 'continue')),
};
const retry: MemberShapes<Partial<RetrySettings>> = {
  maxAttempts: optional(countShape),
  initialBackoff: optional(amountShape),
  multiplier: optional(numberShape),
  maxBackoff: optional(amountShape),
  jitter: optional(booleanShape),
  retryableErrors: optional(errorKinds),
  maxRetryAfter: optional(amountShape),
  budget: optional(amountShape),
  budgetReserve: optional(amountShape),
};
const breaker: MemberShapes<Partial<BreakerSettings>> = {
  window: optional(amountShape),
  failureRatio: optional(fractionShape),
  minCalls: optional(wholeShape),
  openFor: optional(amountShape),
  maxOpenFor: optional(amountShape),
  probes: optional(countShape),
};

export const optionMembers: MemberShapes<ClientOptions> = {
  provider: optional(orElse(isString, ownProvider)),
  apiKey: optional(stringShape),
  baseUrl: optional(stringShape),
  headers: optional(recordOf(stringShape)),
  model: optional(stringShape),
  maxTokens: optional(countShape),
  timeout: optional(durationShape),
  timeouts: optional(closedObjectOf(timeouts)),
  proxy: optional(closedObjectOf(proxy)),
  network: optional(closedObjectOf(network)),
  prices: optional(recordOf(closedObjectOf(price))),
  config: optional(stringShape),
  watch: optional(orElse(isFunction, booleanShape)),
  healing: optional(healingShape),
  cache: optional(orElse(isBoolean, cache)),
  models: optional(recordOf(closedObjectOf(alias))),
  chains: optional(listOf(closedObjectOf(chain))),
  router: optional(closedObjectOf(router)),
  retry: optional(orElse(isFalse, closedObjectOf(retry))),
  breaker: optional(orElse(isFalse, closedObjectOf(breaker))),
  transport: optional(
    objectOf<Pick<NonNullable<ClientOptions['transport']>, 'send' | 'close'>>({
      send: functionShape,
      close: functionShape,
    }),
  ),
  observer: optional(functionShape),
};

export const optionShape = closedObjectOf(optionMembers);
