// The options of a client, and the gateway that is created from them. Options override the configuration file and the
// environment.

import { parseDuration } from '../config/schema/duration.ts';
import { providerTypes } from '../config/schema/provider-type.ts';
import { checkAliasPattern, checkExactName } from '../config/schema/rules.ts';
import type { Settings, SettingsTier } from '../config/settings.ts';
import { rejectField, toError, type SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import { checkShape } from '../core/shape.ts';
import { didYouMean } from '../core/suggest.ts';
import type { BreakerSettings } from '../gateway/resilience/breaker.ts';
import type { Cache } from '../gateway/cache/cache.ts';
import type { CacheSettings } from '../gateway/cache/configured-cache.ts';
import type { LearnedState } from '../gateway/learned-state.ts';
import { createGateway, type Gateway, type GatewayOptions, type RoutingSettings } from '../gateway/gateway.ts';
import type { AliasSettings, ChainSettings } from '../gateway/routing/resolve.ts';
import type { RetrySettings } from '../gateway/resilience/retry.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';
import { optionShape } from './option-shape.ts';
import type { ClientRuntime } from './runtime.ts';
import type { HealingOptions } from './typed.ts';

export interface ClientOptions {
  /** A provider's name, or your own provider. Defaults to the providers in the file and the environment. */
  readonly provider?: string | Provider;
  /** Defaults to the provider's environment variable. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For requests that do not name a model. */
  readonly model?: string;
  readonly maxTokens?: number;
  /** Milliseconds, or `"30s"`: to the first token of a stream, and for a complete plain call. */
  readonly timeout?: number | string;
  readonly timeouts?: SettingsTier['timeouts'];
  readonly proxy?: SettingsTier['proxy'];
  /** Connection settings: certificates, limits, HTTP/2. */
  readonly network?: SettingsTier['network'];
  /** Prices by `provider/model`; they override the built-in list. */
  readonly prices?: SettingsTier['prices'];
  /** The path of a configuration file. Options override it. */
  readonly config?: string;
  /**
   * Reload the file when it changes. A function is called after each change, with an error if the file is invalid; the
   * old settings then stay in use.
   */
  readonly watch?: boolean | ((error: SimpleAgentsError | undefined) => void);
  /** How tool-call arguments and typed responses are healed. */
  readonly healing?: HealingOptions;
  /** Caches responses: `true` uses the file's cache settings, else memory; or pass your own cache. Defaults to the file. */
  readonly cache?: boolean | ClientCacheOptions | Cache;
  /** Aliases for models, each with one or several targets. */
  readonly models?: Readonly<Record<string, AliasSettings>>;
  /** Fallback targets for calls that fail. */
  readonly chains?: readonly ChainSettings[];
  /** How a target is chosen if a model name has several. */
  readonly router?: RoutingSettings;
  /** Retries at the same target; `false`: never. */
  readonly retry?: Partial<RetrySettings> | false;
  /** When a target that stalls or keeps failing gets no calls; `false`: no circuit breaker. */
  readonly breaker?: Partial<BreakerSettings> | false;
  /** The transport, for instance a recording. Defaults to the runtime's `fetch`, or to undici if an option needs it. */
  readonly transport?: GatewayOptions['transport'];
  /** Receives the events of every call: attempts, retries, the target, the duration, the cost. */
  readonly observer?: GatewayOptions['observer'];
}

/** Everything else comes from the file's cache settings, else memory is used. */
export interface ClientCacheOptions {
  /** How long a response is kept: milliseconds, or `"1h"`. */
  readonly ttl?: number | string;
  /** The maximum size of all responses together. */
  readonly maxBytes?: number;
}

/** Options that apply only if the client creates the providers itself. */
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

/** Throws `configuration` for unknown options, wrong values, and combinations that have no effect. */
export function checkOptions(given: ClientOptions): void {
  checkShape(optionShape, given, { kind: 'configuration' });
  const { provider, baseUrl, watch, ...options } = given;
  checkNames(options);
  if (watch && options.config === undefined) rejectField('configuration', 'watch', 'needs a file to watch; set config');
  // A file may add providers, which are known at the first call.
  if (typeof provider === 'string' && options.config === undefined && !providerTypes.includes(provider))
    rejectField('configuration', 'provider', unknownProvider(provider, providerTypes));
  const isOwn = typeof provider === 'object';
  if (isOwn && baseUrl !== undefined)
    rejectField('configuration', 'baseUrl', 'has no effect with your own provider; remove it');
  for (const name of gatewayOptions) {
    if (options[name] === undefined) continue;
    if (isOwn) rejectField('configuration', name, 'has no effect with your own provider; remove it');
    const needsProvider = name === 'apiKey' || name === 'headers';
    if (needsProvider && provider === undefined && baseUrl === undefined)
      rejectField('configuration', name, 'needs a provider; set provider');
  }
}

function checkNames({ models = {}, chains = [] }: ClientOptions): void {
  for (const [alias, { targets }] of Object.entries(models)) {
    const problem = checkAliasPattern(alias, targets);
    if (problem !== undefined) rejectField('configuration', 'models', problem);
  }
  const names = chains.flatMap(({ model = '', targets }) => [model, ...targets]);
  for (const name of names) {
    const problem = checkExactName(name);
    if (problem !== undefined) rejectField('configuration', 'models', problem);
  }
}

/** The provider behind a client, and how its responses are healed. */
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
      // With a provider, the model is the provider's own name for it, including slashes.
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
  const { sha256, credentialHost } = runtime;
  const simulated = (target: ProviderSettings) => runtime.createSimulated(target);
  const gateway = createGateway(
    { ...chosen, healing },
    omitUndefined({ transport, simulated, credentialHost, sha256, observer, learnedState }),
  );
  return { provider: gateway, healing };
}

/** A base URL without a provider means an OpenAI-compatible server. */
function providerNameOf({ provider, baseUrl }: ClientOptions): string | undefined {
  if (typeof provider === 'string') return provider;
  return baseUrl === undefined ? undefined : 'openai-compatible';
}

export function toCacheSettings(cache: ClientOptions['cache']): CacheSettings | undefined {
  if (cache === undefined || typeof cache === 'boolean') return cache === undefined ? undefined : { enabled: cache };
  if ('get' in cache) return { enabled: true, backend: cache };
  const { maxBytes } = cache;
  const ttl = cache.ttl === undefined ? undefined : toMilliseconds(cache.ttl, 'cache.ttl');
  if (ttl !== undefined && !(ttl > 0)) return rejectField('configuration', 'cache.ttl', 'must be greater than 0');
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
 * Makes the provider of the options the default: its own model overrides the file's default. Without a file, only
 * providers that are used as targets are available besides it.
 */
function selectProvider(name: string, settings: Settings, options: ClientOptions): Settings {
  const { config, model, apiKey, baseUrl, headers } = options;
  const named = settings.providers.find((provider) => provider.name === name);
  if (named === undefined) return rejectField('configuration', 'provider', unknownProvider(name, namesOf(settings)));
  // An empty key counts as not set, as in the environment.
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

function namesOf({ providers }: Settings): string[] {
  return [...new Set([...providers.map((provider) => provider.name), ...providerTypes])];
}

function unknownProvider(name: string, known: readonly string[]): string {
  return `there is no provider "${name}"${didYouMean(name, known) || '.'} Known providers: ${known.join(', ')}`;
}
