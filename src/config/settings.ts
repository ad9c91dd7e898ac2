// The settings a program runs with, merged from their tiers: defaults < file < environment < code.
// A later tier wins field by field. Pure: the file has been read, the environment is passed in.

import type { GatewayKey } from '../core/gateway-key.ts';
import { omitUndefined } from '../core/json.ts';
import type { BreakerSettings } from '../gateway/resilience/breaker.ts';
import type { CacheSettings } from '../gateway/cache/configured-cache.ts';
import type { RoutingSettings } from '../gateway/gateway.ts';
import type { HealingSettings } from '../gateway/output/healing.ts';
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
  /** The file they come from, if one was found. */
  readonly file?: string;
  /** In order of preference. Always has a simulated model; beside real providers it is unnamed unless a tier names it. */
  readonly providers: readonly ProviderSettings[];
  /** Own names for models, each with its `provider/model` targets. */
  readonly aliases: Readonly<Record<string, AliasSettings>>;
  readonly chains?: readonly ChainSettings[];
  /** Those of the file, which may stand in for each other while nobody names a provider. */
  readonly spares?: readonly string[];
  readonly defaultModel?: string;
  readonly defaultProvider?: string;
  readonly maxTokens?: number;
  /** Only what was said: what is usual depends on the call. */
  readonly timeouts: Partial<Timeouts>;
  readonly proxy: ProxySettings;
  /** Only what was said. */
  readonly network: NetworkSettings;
  readonly healing: Required<HealingSettings>;
  /** By `provider/model`; they go before those we know. */
  readonly prices: Readonly<Record<string, PriceSettings>>;
  readonly cache: CacheSettings;
  readonly server: ServerValues;
  readonly chat: ChatValues;
  /** Of these three only what was said; the gateway knows the rest. */
  readonly router?: RoutingSettings;
  readonly retry?: Partial<RetrySettings> | false;
  readonly breaker?: Partial<BreakerSettings> | false;
}

/** How the gateway is served. */
export type ServerValues = TableDefaults<'server'> & ServerTier;

/** What one tier says of the server; a key may be its hash alone. */
export type ServerTier = Omit<TableValues<'server'>, 'keys'> & { readonly keys?: readonly (string | GatewayKey)[] };

/** How the assistant is served; the paths of its tools are absolute. */
export type ChatValues = TableDefaults<'chat'> & TableValues<'chat'>;

/** What one tier, a file or the calling code, has to say. */
export interface SettingsTier {
  readonly providers?: readonly ProviderSettings[];
  readonly aliases?: Readonly<Record<string, AliasSettings>>;
  readonly chains?: readonly ChainSettings[];
  readonly defaultModel?: string;
  readonly defaultProvider?: string;
  readonly maxTokens?: number;
  /** Milliseconds to the first token of a stream, and for the whole of a call that is not streamed. */
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
}

export interface SettingsSources {
  /** What a program waits for where nobody says anything, in place of the usual. */
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
  const mentioned = [chosen.defaultProvider, chosen.defaultModel, ...targets];
  const providers = resolveProviders({ file, env, code }, mentioned.map(providerOf));
  const named = [...mentioned, ...chains.map(({ model }) => model), ...simulatedOf(file), ...simulatedOf(code)];
  return {
    ...chosen,
    aliases,
    ...routingOf(file, code),
    ...(chains.length === 0 ? {} : { chains }),
    ...sparesOf(file, code),
    providers: named.map(providerOf).includes(simulatedType) ? providers : markUnnamed(providers),
    timeouts: { ...fallbackTimeouts, ...timeoutsOf(file), ...timeoutsOf(code) },
    proxy: { ...file.proxy, ...readProxyVariables(env), ...omitUndefined({ ...code.proxy }) },
    network: { ...file.network, ...omitUndefined({ ...code.network }) },
    healing: { ...defaultHealing(), ...file.healing, ...omitUndefined({ ...code.healing }) },
    prices: { ...file.prices, ...code.prices },
    server: { ...defaultsOf('server'), ...file.server, ...omitUndefined({ ...code.server }) },
    chat: { ...defaultsOf('chat'), ...file.chat, ...omitUndefined({ ...code.chat }) },
    cache: resolveCache({ ...file.cache, ...omitUndefined({ ...code.cache }) }, env),
  };
}

function resolveCache(chosen: CacheSettings, env: Environment): CacheSettings {
  const { maxSize: maxBytes, backend, ...defaults } = defaultsOf('cache');
  const settings = { ...defaults, maxBytes, backend: backend as 'memory', ...chosen };
  // Nobody who keeps answers elsewhere is told of an address that is wrong.
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

/** Field by field; `false` puts an end to all of it. Nothing when nobody said anything. */
function mergeTiers<T extends object>(file: T | false = {} as T, code?: T | false): T | false | undefined {
  if (code === false || (file === false && code === undefined)) return false;
  const said = { ...(file || undefined), ...omitUndefined({ ...code }) } as T;
  return Object.keys(said).length === 0 ? undefined : said;
}

/** A provider or model chosen in code or by a flag is named: it gets no spares. */
function sparesOf(file: SettingsTier, code: SettingsTier): Pick<Settings, 'spares'> {
  const names = file.providers?.map(({ name }) => name) ?? [];
  return isChosen(code) || names.length < 2 ? {} : { spares: names };
}

/** A chain without a model was written for the default of its own file, not for what code or a flag chooses. */
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

/** One tier's time-outs. Within a tier, a time-out for one part of a call goes before the general one. */
function timeoutsOf({ timeout, timeouts = {} }: Pick<SettingsTier, 'timeout' | 'timeouts'>): Partial<Timeouts> {
  const plainTotal = timeouts.total ?? timeout;
  return {
    ...(timeout === undefined ? {} : { firstToken: timeout }),
    ...(plainTotal === undefined ? {} : { plainTotal }),
    ...omitUndefined({ ...timeouts }),
  };
}

/** Those only the code has, those of the file, vendors that are present or mentioned, the simulated model. */
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
    const written = overrideTimeouts(inFile.get(name), timeoutsOf(code));
    return resolveProvider({ name, type: name, ...written }, inCode.get(name), env);
  });
}

/** The type once for each provider that a tier writes down as simulated. */
function simulatedOf({ providers = [] }: SettingsTier): string[] {
  return providers.flatMap(({ type }) => (type === simulatedType ? [type] : []));
}

/** Without a real provider the simulated model is what the product offers. */
function markUnnamed(providers: readonly ProviderSettings[]): readonly ProviderSettings[] {
  if (providers.every(({ type }) => type === simulatedType)) return providers;
  return providers.map((provider) => (provider.type === simulatedType ? { ...provider, isImplicit: true } : provider));
}

function resolveProvider(
  written: ProviderSettings,
  code: ProviderSettings | undefined,
  env: Environment,
): ProviderSettings {
  return { ...written, ...readProviderVariables({ ...written, ...code }, env), ...code };
}

/** A time-out given in code goes before one the file gives a single provider. */
function overrideTimeouts(provider: ProviderSettings | undefined, timeouts: Partial<Timeouts>) {
  return provider?.timeouts === undefined ? provider : { ...provider, timeouts: { ...provider.timeouts, ...timeouts } };
}

function byName(providers: readonly ProviderSettings[] = []): Map<string, ProviderSettings> {
  return new Map(providers.map((provider) => [provider.name, omitUndefined({ ...provider })]));
}
