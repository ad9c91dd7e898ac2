// Merges the settings of a program from their tiers: defaults < file < environment < code. A later tier overrides an
// earlier one field by field. Does no I/O: takes the parsed file and the environment as values.

import type { GatewayKey } from '../core/gateway-key.ts';
import { omitUndefined } from '../core/json.ts';
import type { BreakerSettings } from '../gateway/resilience/breaker.ts';
import type { CacheSettings } from '../gateway/cache/configured-cache.ts';
import type { RoutingSettings } from '../gateway/gateway.ts';
import type { HealingSettings } from '../gateway/output/healing.ts';
import type { Guardrail } from '../gateway/guardrail/guardrail.ts';
import type { PluginRegistry } from '../gateway/plugin/registry.ts';
import type { PriceSettings } from '../prices/price.ts';
import type { AliasSettings, ChainSettings } from '../gateway/routing/resolve.ts';
import type { RetrySettings } from '../gateway/resilience/retry.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';
import type { NetworkSettings, ProxySettings, Timeouts } from '../providers/remote.ts';
import { vendors } from '../providers/vendors.ts';
import {
  isVendorPresent,
  processEnvironment,
  readProviderVariables,
  readProxyVariables,
  readRedisUrl,
  type Environment,
} from './environment.ts';
import { simulatedType } from './schema/provider-type.ts';
import type { TableDefaults, TableValues } from './schema/file-values.ts';
import { defaultsOf } from './schema/validate.ts';

export interface Settings {
  /** The configuration file, if one was found. */
  readonly file?: string;
  /** In order of preference. Always contains a simulated model, which is marked unnamed if there are real providers. */
  readonly providers: readonly ProviderSettings[];
  /** Aliases for models with their `provider/model` targets. */
  readonly aliases: Readonly<Record<string, AliasSettings>>;
  readonly chains?: readonly ChainSettings[];
  /** The providers of the file, which are fallbacks for each other in calls that name no provider. */
  readonly spares?: readonly string[];
  /** The file or the code has a simulated provider of its own. */
  readonly hasOwnSimulated?: true;
  readonly defaultModel?: string;
  readonly defaultProvider?: string;
  readonly maxTokens?: number;
  /** Only configured values; the defaults depend on the call. */
  readonly timeouts: Partial<Timeouts>;
  readonly proxy: ProxySettings;
  /** Only configured values. */
  readonly network: NetworkSettings;
  readonly healing: Required<HealingSettings>;
  /** By `provider/model`; they override the built-in prices. */
  readonly prices: Readonly<Record<string, PriceSettings>>;
  readonly cache: CacheSettings;
  readonly server: ServerValues;
  readonly chat: ChatValues;
  /** These three contain only configured values; the gateway has the defaults. */
  readonly router?: RoutingSettings;
  readonly retry?: Partial<RetrySettings> | false;
  readonly breaker?: Partial<BreakerSettings> | false;
  /** What the plugins of the file add. */
  readonly plugins?: PluginRegistry;
  readonly guardrails?: readonly Guardrail[];
}

/** The settings of the gateway's HTTP server. */
export type ServerValues = TableDefaults<'server'> & ServerTier;

/** The server settings of one tier; a key may be only a hash. */
export type ServerTier = Omit<TableValues<'server'>, 'keys'> & { readonly keys?: readonly (string | GatewayKey)[] };

/** The settings of the chat assistant; the paths of its tools are absolute. */
export type ChatValues = TableDefaults<'chat'> & TableValues<'chat'>;

/** The settings of one tier: a file or the calling code. */
export interface SettingsTier {
  readonly providers?: readonly ProviderSettings[];
  readonly aliases?: Readonly<Record<string, AliasSettings>>;
  readonly chains?: readonly ChainSettings[];
  readonly defaultModel?: string;
  readonly defaultProvider?: string;
  readonly maxTokens?: number;
  /** Milliseconds to the first token of a stream, or to the end of a call that is not streamed. */
  readonly timeout?: number;
  readonly timeouts?: Partial<Timeouts>;
  readonly proxy?: ProxySettings;
  readonly network?: NetworkSettings;
  readonly healing?: HealingSettings;
  readonly prices?: Readonly<Record<string, PriceSettings>>;
  readonly cache?: CacheSettings;
  readonly server?: ServerTier;
  readonly chat?: TableValues<'chat'>;
  readonly router?: RoutingSettings;
  readonly retry?: Partial<RetrySettings> | false;
  readonly breaker?: Partial<BreakerSettings> | false;
  readonly plugins?: PluginRegistry;
  readonly guardrails?: readonly Guardrail[];
}

export interface SettingsSources {
  /** Timeouts to use in place of the defaults where no tier sets one. */
  readonly fallbackTimeouts?: Partial<Timeouts>;
  readonly file?: SettingsTier;
  readonly env?: Environment;
  readonly code?: SettingsTier;
}

export function resolveSettings({
  file = {},
  env = processEnvironment(),
  code = {},
  fallbackTimeouts = {},
}: SettingsSources): Settings {
  const chosen = { ...chosenBy(file), ...chosenBy(code) };
  const aliases = { ...file.aliases, ...code.aliases };
  const chains = [...(code.chains ?? []), ...chainsOf(file, code)];
  const targets = [...Object.values(aliases), ...chains].flatMap((several) => several.targets);
  const forwarding = { ...file.server, ...code.server }.forwardProviders ?? [];
  const mentioned = [chosen.defaultProvider, chosen.defaultModel, ...targets, ...forwarding];
  const providers = resolveProviders({ file, env, code }, mentioned.map(providerOf));
  const ownSimulated = [...simulatedOf(file), ...simulatedOf(code)];
  const named = [...mentioned, ...chains.map(({ model }) => model), ...ownSimulated];
  return {
    ...chosen,
    aliases,
    ...routingOf(file, code),
    ...(chains.length === 0 ? {} : { chains }),
    ...sparesOf(file, code),
    ...(ownSimulated.length === 0 ? {} : { hasOwnSimulated: true }),
    providers: named.map(providerOf).includes(simulatedType) ? providers : markUnnamed(providers),
    timeouts: { ...fallbackTimeouts, ...timeoutsOf(file), ...timeoutsOf(code) },
    proxy: { ...file.proxy, ...readProxyVariables(env), ...omitUndefined({ ...code.proxy }) },
    network: { ...file.network, ...omitUndefined({ ...code.network }) },
    healing: { ...defaultHealing(), ...file.healing, ...omitUndefined({ ...code.healing }) },
    prices: { ...file.prices, ...code.prices },
    server: { ...defaultsOf('server'), ...file.server, ...omitUndefined({ ...code.server }) },
    chat: { ...defaultsOf('chat'), ...file.chat, ...omitUndefined({ ...code.chat }) },
    ...omitUndefined({ plugins: file.plugins, guardrails: file.guardrails }),
    cache: resolveCache({ ...file.cache, ...omitUndefined({ ...code.cache }) }, env),
  };
}

function resolveCache(chosen: CacheSettings, env: Environment): CacheSettings {
  const { maxSize: maxBytes, backend, ...defaults } = defaultsOf('cache');
  const settings = { ...defaults, maxBytes, backend: backend as 'memory', ...chosen };
  // Read only for Redis, so that an invalid URL is not an error with another backend.
  const url = settings.backend === 'redis' ? readRedisUrl(settings.urlEnv, env) : undefined;
  return { ...omitUndefined({ url }), ...settings };
}

function routingOf(file: SettingsTier, code: SettingsTier): Pick<Settings, 'router' | 'retry' | 'breaker'> {
  return omitUndefined({
    router: mergeTiers(file.router, code.router) || undefined,
    retry: mergeTiers(file.retry, code.retry),
    breaker: mergeTiers(file.breaker, code.breaker),
  });
}

/** Merges field by field. `false` disables the feature. Undefined if neither tier sets anything. */
function mergeTiers<T extends object>(file: T | false = {} as T, code?: T | false): T | false | undefined {
  if (code === false || (file === false && code === undefined)) return false;
  const merged = { ...(file || undefined), ...omitUndefined({ ...code }) } as T;
  return Object.keys(merged).length === 0 ? undefined : merged;
}

/** A provider or model chosen in code or by a flag counts as named, so it gets no fallbacks. */
function sparesOf(file: SettingsTier, code: SettingsTier): Pick<Settings, 'spares'> {
  const names = file.providers?.map(({ name }) => name) ?? [];
  return isChosen(code) || names.length < 2 ? {} : { spares: names };
}

/** A chain without a model applies to the default model of its file, not to one chosen in code or by a flag. */
function chainsOf({ chains = [], defaultModel }: SettingsTier, code: SettingsTier): readonly ChainSettings[] {
  if (!isChosen(code)) return chains;
  return chains.flatMap((chain) => {
    if (chain.model !== undefined) return [chain];
    return defaultModel === undefined ? [] : [{ ...chain, model: defaultModel }];
  });
}

function isChosen({ defaultModel, defaultProvider }: SettingsTier): boolean {
  return defaultModel !== undefined || defaultProvider !== undefined;
}

function defaultHealing(): Required<HealingSettings> {
  const { enabled, strictMode: strict, allowTypeCoercion: coerceTypes, minConfidence } = defaultsOf('healing');
  return { enabled, strict, coerceTypes, minConfidence };
}

type Choices = Pick<SettingsTier, 'defaultModel' | 'defaultProvider' | 'maxTokens'>;

function chosenBy({ defaultModel, defaultProvider, maxTokens }: SettingsTier): Choices {
  return {
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(defaultProvider === undefined ? {} : { defaultProvider }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** The part of `provider/model` before the slash. */
function providerOf(target: string | undefined): string | undefined {
  return target?.split('/', 1)[0];
}

/** The timeouts of one tier. A timeout for one phase of a call overrides the general one. */
function timeoutsOf({ timeout, timeouts = {} }: Pick<SettingsTier, 'timeout' | 'timeouts'>): Partial<Timeouts> {
  const plainTotal = timeouts.total ?? timeout;
  return {
    ...(timeout === undefined ? {} : { firstToken: timeout }),
    ...(plainTotal === undefined ? {} : { plainTotal }),
    ...omitUndefined({ ...timeouts }),
  };
}

/** In order: providers only in code, those of the file, vendors with a key or a mention, the simulated model. */
function resolveProviders(
  { file, env, code }: Required<Omit<SettingsSources, 'fallbackTimeouts'>>,
  mentioned: readonly (string | undefined)[],
): ProviderSettings[] {
  const inFile = byName(file.providers);
  const inCode = byName(code.providers);
  const onlyInCode = [...inCode.keys()].filter((name) => !inFile.has(name));
  const found = vendors.filter((vendor) => isVendorPresent(vendor, env) || mentioned.includes(vendor.name));
  const names = new Set([...onlyInCode, ...inFile.keys(), ...found.map(({ name }) => name), simulatedType]);
  return Array.from(names, (name) => {
    const fromFile = overrideTimeouts(inFile.get(name), timeoutsOf(code));
    return resolveProvider({ name, type: name, ...fromFile }, inCode.get(name), env);
  });
}

/** The type, once for each simulated provider of the tier. */
function simulatedOf({ providers = [] }: SettingsTier): string[] {
  return providers.flatMap(({ type }) => (type === simulatedType ? [type] : []));
}

/** The simulated model is unnamed only if there is a real provider. */
function markUnnamed(providers: readonly ProviderSettings[]): readonly ProviderSettings[] {
  if (providers.every(({ type }) => type === simulatedType)) return providers;
  return providers.map((provider) => (provider.type === simulatedType ? { ...provider, isImplicit: true } : provider));
}

function resolveProvider(
  fromFile: ProviderSettings,
  code: ProviderSettings | undefined,
  env: Environment,
): ProviderSettings {
  return { ...fromFile, ...readProviderVariables({ ...fromFile, ...code }, env), ...code };
}

/** A timeout set in code overrides one that the file sets for a single provider. */
function overrideTimeouts(provider: ProviderSettings | undefined, timeouts: Partial<Timeouts>) {
  return provider?.timeouts === undefined ? provider : { ...provider, timeouts: { ...provider.timeouts, ...timeouts } };
}

function byName(providers: readonly ProviderSettings[] = []): Map<string, ProviderSettings> {
  return new Map(providers.map((provider) => [provider.name, omitUndefined({ ...provider })]));
}
