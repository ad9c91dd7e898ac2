// What a library user may say when making a client, and the gateway it comes down to. What is said in code goes before
// the file and the environment.

import { parseDuration } from '../config/schema/duration.ts';
import { providerTypes } from '../config/schema/provider-type.ts';
import { checkExactName } from '../config/schema/rules.ts';
import type { Settings, SettingsTier } from '../config/settings.ts';
import { rejectField, toError, type SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import { didYouMean } from '../core/suggest.ts';
import type { BreakerSettings } from '../gateway/resilience/breaker.ts';
import type { Cache } from '../gateway/cache/cache.ts';
import type { CacheSettings } from '../gateway/cache/configured-cache.ts';
import type { LearnedState } from '../gateway/learned-state.ts';
import { createGateway, type Gateway, type GatewayOptions, type RoutingSettings } from '../gateway/gateway.ts';
import type { AliasSettings, ChainSettings } from '../gateway/routing/resolve.ts';
import type { RetrySettings } from '../gateway/resilience/retry.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';
import { findUnknownName, type KnownNames } from './known-names.ts';
import type { ClientRuntime } from './runtime.ts';
import type { HealingOptions } from './typed.ts';

export interface ClientOptions {
  /** A provider's name, or a provider of your own. Left out: whatever the file and the environment offer. */
  readonly provider?: string | Provider;
  /** Left out, the provider's own environment variable is read. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For requests that name none. */
  readonly model?: string;
  readonly maxTokens?: number;
  /** Milliseconds, or `"30s"`: to the first token of a stream, and for the whole of a plain call. */
  readonly timeout?: number | string;
  readonly timeouts?: SettingsTier['timeouts'];
  readonly proxy?: SettingsTier['proxy'];
  /** How connections are made: own certificates, limits, HTTP/2. */
  readonly network?: SettingsTier['network'];
  /** What models cost, by `provider/model`, where the built-in list is not right. */
  readonly prices?: SettingsTier['prices'];
  /** A configuration file; what is said in code goes before it. */
  readonly config?: string;
  /**
   * Take up changes of the file while the client works. Given a function, it is told of each: with an error when the
   * file is wrong, and then what held before still holds.
   */
  readonly watch?: boolean | ((error: SimpleAgentsError | undefined) => void);
  /** How tool-call arguments and typed answers are healed. */
  readonly healing?: HealingOptions;
  /** Keeps answers: `true` as the file says, else in memory; or a cache of your own. Left out: as the file says. */
  readonly cache?: boolean | ClientCacheOptions | Cache;
  /** Names of your own for models, each with one or several targets. */
  readonly models?: Readonly<Record<string, AliasSettings>>;
  /** Where the calls of a model go on when they fail. */
  readonly chains?: readonly ChainSettings[];
  /** How targets are chosen where a model name has several. */
  readonly router?: RoutingSettings;
  /** Trying again at the same target; `false`: never. */
  readonly retry?: Partial<RetrySettings> | false;
  /** When a target that stalls or keeps failing gets no calls; `false`: never. */
  readonly breaker?: Partial<BreakerSettings> | false;
  /** How providers are reached, for instance a recording. Defaults to the runtime's `fetch`, or undici where that is needed. */
  readonly transport?: GatewayOptions['transport'];
  /** Is told what happens to every call: attempts, retries, who answered, how long it took, what it cost. */
  readonly observer?: GatewayOptions['observer'];
}

/** The rest is as the file says, else in memory. */
export interface ClientCacheOptions {
  /** How long an answer is kept: milliseconds, or `"1h"`. */
  readonly ttl?: number | string;
  /** How much all answers together may take. */
  readonly maxBytes?: number;
}

/** What means something only where the client makes the providers itself. */
const gatewayOptions = [
  'apiKey',
  'headers',
  'config',
  'transport',
  'network',
  'models',
  'chains',
  'router',
  'retry',
  'breaker',
] as const;

const optionNames: KnownNames<ClientOptions> = {
  provider: true,
  apiKey: true,
  baseUrl: true,
  headers: true,
  model: true,
  maxTokens: true,
  timeout: true,
  timeouts: true,
  proxy: true,
  network: true,
  prices: true,
  config: true,
  watch: true,
  healing: true,
  cache: true,
  models: true,
  chains: true,
  router: true,
  retry: true,
  breaker: true,
  transport: true,
  observer: true,
};

/** What says how to reach a provider must say which. */
export function checkOptions({ provider, baseUrl, watch, ...options }: ClientOptions): void {
  const unknown = findUnknownName(options, optionNames);
  if (unknown !== undefined) rejectField('configuration', unknown.name, unknown.problem);
  checkNames(options);
  if (watch && options.config === undefined)
    rejectField('configuration', 'watch', 'say with config which file to watch');
  const isOwn = typeof provider === 'object';
  if (isOwn && baseUrl !== undefined)
    rejectField('configuration', 'baseUrl', 'means nothing beside a provider of your own');
  for (const name of gatewayOptions) {
    if (options[name] === undefined) continue;
    if (isOwn) rejectField('configuration', name, 'means nothing beside a provider of your own');
    const needsProvider = name === 'apiKey' || name === 'headers';
    if (needsProvider && provider === undefined && baseUrl === undefined)
      rejectField('configuration', name, 'say for which provider it is');
  }
}

function checkNames({ models = {}, chains = [] }: ClientOptions): void {
  const several = [...Object.values(models), ...chains].flatMap(({ targets }) => targets);
  const names = [...Object.keys(models), ...chains.flatMap(({ model = '' }) => model), ...several];
  for (const name of names) {
    const problem = checkExactName(name);
    if (problem !== undefined) rejectField('configuration', 'models', problem);
  }
}

/** Who is asked, and how its answers are healed. */
export interface ClientConnection<P extends Provider = Provider> {
  readonly provider: P;
  readonly healing: HealingOptions;
}

export async function loadGateway(
  options: ClientOptions,
  runtime: ClientRuntime,
  learnedState?: LearnedState,
): Promise<ClientConnection<Gateway>> {
  const { config, model, maxTokens, timeout, timeouts, proxy, network, prices, observer } = options;
  const { models: aliases, chains, router, retry, breaker } = options;
  const cache = toCacheSettings(options.cache);
  const provider = providerNameOf(options);
  const settings = await runtime.loadSettings({
    path: config ?? false,
    overrides: omitUndefined({
      defaultProvider: provider,
      // A model beside a provider is that provider's own name for it, slashes and all.
      defaultModel: provider === undefined || model === undefined ? model : `${provider}/${model}`,
      maxTokens,
      timeout: timeout === undefined ? undefined : toMilliseconds(timeout, 'timeout'),
      timeouts,
      proxy,
      network,
      prices,
      cache,
      aliases,
      chains,
      router,
      retry,
      breaker,
    }),
  });
  const chosen = provider === undefined ? settings : selectProvider(provider, settings, options);
  const healing = { ...settings.healing, ...options.healing };
  const transport = options.transport ?? runtime.createTransport(chosen);
  const { sha256 } = runtime;
  const simulated = (target: ProviderSettings) => runtime.createSimulated(target);
  const gateway = createGateway(
    { ...chosen, healing },
    omitUndefined({ transport, simulated, sha256, observer, learnedState }),
  );
  return { provider: gateway, healing };
}

/** An address alone means a server that speaks the most common protocol. */
function providerNameOf({ provider, baseUrl }: ClientOptions): string | undefined {
  if (typeof provider === 'string') return provider;
  return baseUrl === undefined ? undefined : 'openai-compatible';
}

export function toCacheSettings(cache: ClientOptions['cache']): CacheSettings | undefined {
  if (cache === undefined || typeof cache === 'boolean') return cache === undefined ? undefined : { enabled: cache };
  if ('get' in cache) return { enabled: true, backend: cache };
  const { maxBytes } = cache;
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
    return rejectField('configuration', 'cache.maxBytes', 'must be a whole number of bytes, at least 1');
  }
  const ttl = cache.ttl === undefined ? undefined : toMilliseconds(cache.ttl, 'cache.ttl');
  if (ttl !== undefined && !(ttl > 0)) return rejectField('configuration', 'cache.ttl', 'must be longer than nothing');
  return omitUndefined({ enabled: true, ttl, maxBytes });
}

function toMilliseconds(time: number | string, field: string): number {
  try {
    return typeof time === 'string' ? parseDuration(time) : time;
  } catch (error) {
    return rejectField('configuration', field, toError(error).message);
  }
}

/**
 * A provider named in code is the one meant: its own model goes before the file's default, and without a file no
 * other is offered beside it but those that targets name.
 */
function selectProvider(name: string, settings: Settings, options: ClientOptions): Settings {
  const { config, model, apiKey, baseUrl, headers } = options;
  const named = settings.providers.find((provider) => provider.name === name);
  if (named === undefined) return rejectField('configuration', 'provider', unknownProvider(name, settings));
  // An empty key is one that was not set, as in the environment.
  const chosen = { ...named, ...omitUndefined({ apiKey: apiKey || undefined, baseUrl, headers }) };
  const { defaultModel, ...rest } = settings;
  return {
    ...rest,
    ...(model === undefined || defaultModel === undefined ? {} : { defaultModel }),
    providers: settings.providers
      .filter((other) => config !== undefined || other === named || isTarget(other, settings))
      .map((other) => (other === named ? chosen : other)),
  };
}

function isTarget({ name }: ProviderSettings, { aliases, chains = [] }: Settings): boolean {
  const several = [...Object.values(aliases), ...chains];
  return several.some(({ targets }) => targets.some((target) => target.startsWith(`${name}/`)));
}

function unknownProvider(name: string, { providers }: Settings): string {
  const known = [...new Set([...providers.map((provider) => provider.name), ...providerTypes])];
  return `there is no provider "${name}"${didYouMean(name, known) || '.'} Known are ${known.join(', ')}`;
}
