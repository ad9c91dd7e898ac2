// The text of a configuration file as a tier of settings. Does no I/O, so other engines use it too. All problems of a file
// become one `configuration` error that gives the position and the fix of each. Invariant: no message quotes the file's
// text, because it may contain a key.

import { SimpleAgentsError } from '../core/error.ts';
import type { GatewayKey } from '../core/gateway-key.ts';
import { omitUndefined } from '../core/json.ts';
import { locateInToml } from '../core/toml-location.ts';
import { parseToml } from '../core/toml.ts';
import type { CacheSettings } from '../gateway/cache/configured-cache.ts';
import type { RoutingSettings } from '../gateway/gateway.ts';
import type { HealingSettings } from '../gateway/output/healing.ts';
import type { AliasSettings, ChainSettings } from '../gateway/routing/resolve.ts';
import type { RetrySettings } from '../gateway/resilience/retry.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';
import type { VendorWire } from '../providers/vendors.ts';
import type { NetworkSettings } from '../providers/remote.ts';
import { checkConsistency } from './schema/consistency.ts';
import { toConfigurationError } from './schema/problem.ts';
import type { FileValues, TableValues } from './schema/file-values.ts';
import type { ServerTier, SettingsTier } from './settings.ts';
import { checkUntrusted } from './schema/untrusted-file.ts';
import { validate } from './schema/validate.ts';
import type { PluginRegistry } from '../gateway/plugin/registry.ts';
import { withPlugins } from './plugin-tier.ts';
import { atPluginList, pluginsKey, readPluginList, type PluginSource } from './schema/plugins-key.ts';

export interface ParseOptions {
  /** The user named the file, so it must contain settings: an empty file is a mistake or an unfinished write. */
  readonly isNamed?: boolean;
  /** The file may come from others; see `untrusted-file.ts`. */
  readonly isUntrusted?: boolean;
  /** Loads the plugins of the file. If absent, plugins are an error. */
  readonly loadPlugins?: (plugins: readonly string[]) => Promise<PluginRegistry>;
}

/** A valid file and the plugins that it names. */
export interface ParsedConfig {
  readonly values: FileValues;
  readonly plugins?: PluginRegistry;
}

/** Parses and validates a file's text; `shown` is the file name for messages. */
export async function parseConfig(text: string, shown: string, options: ParseOptions = {}): Promise<FileValues> {
  return (await parsePluggedConfig(text, shown, options)).values;
}

/** The same, with the plugins of the file. */
export async function parsePluggedConfig(
  text: string,
  shown: string,
  options: ParseOptions = {},
): Promise<ParsedConfig> {
  const document = await parseToml(text, shown);
  if (options.isNamed === true && Object.keys(document).length === 0) throw emptyFileError(shown);
  const plugins = await loadPluginsOf({ document, shown, locate: locateInToml(text) }, options);
  const values = checkDocument(document, text, { shown, plugins, isUntrusted: options.isUntrusted === true });
  return { values, ...omitUndefined({ plugins }) };
}

async function loadPluginsOf(
  source: PluginSource,
  { loadPlugins = noPlugins }: ParseOptions,
): Promise<PluginRegistry | undefined> {
  const list = readPluginList(source);
  if (list.length === 0) return undefined;
  return loadPlugins(list).catch((error: unknown) => Promise.reject(atPluginList(source, error) as Error));
}

function noPlugins(): Promise<never> {
  const message = 'plugins: are not supported here, because they need Node; remove the setting';
  return Promise.reject(new SimpleAgentsError('configuration', message, { field: pluginsKey }));
}

interface CheckOptions {
  readonly shown: string;
  readonly plugins: PluginRegistry | undefined;
  readonly isUntrusted: boolean;
}

function checkDocument(document: Record<string, unknown>, text: string, options: CheckOptions): FileValues {
  const { shown, plugins, isUntrusted } = options;
  const { draft, problems } = validate(document, plugins);
  const wrong = new Set(problems.map(({ path }) => JSON.stringify(path)));
  // Each wrong field is reported once.
  const further = checkConsistency(draft, plugins).filter(({ path }) => !wrong.has(JSON.stringify(path)));
  const all = [...problems, ...further, ...(isUntrusted ? checkUntrusted(draft) : [])];
  if (all.length > 0) throw toConfigurationError(shown, all, locateInToml(text));
  // Safe because a missing required field is a problem.
  return draft as FileValues;
}

function emptyFileError(shown: string): SimpleAgentsError {
  const fix = 'restore its settings, or omit the file name to use the defaults';
  return new SimpleAgentsError('configuration', `${shown}: the file is empty or has only comments; ${fix}`);
}

/** Makes a path of the file absolute. */
export type ResolvePath = (path: string) => string;

export function toTier({ values, plugins }: ParsedConfig, resolve: ResolvePath): SettingsTier {
  const { defaultTimeout, ...client } = values.client;
  const { http, https, noProxy } = values.proxy;
  const tier: SettingsTier = {
    ...client,
    ...(defaultTimeout === undefined ? {} : { timeout: defaultTimeout }),
    timeouts: values.timeouts,
    proxy: {
      ...(http === undefined ? {} : { httpProxy: http }),
      ...(https === undefined ? {} : { httpsProxy: https }),
      ...(noProxy === undefined ? {} : { noProxy: noProxy.join(',') }),
    },
    network: toNetwork(values.network, resolve),
    healing: toHealing(values.healing),
    cache: toCache(values.cache),
    server: toServer(values, resolve),
    chat: toChat(values.chat, resolve),
    prices: values.prices,
    ...toRouting(values),
    providers: values.providers.map((provider) => toProvider(provider, resolve)),
  };
  return plugins === undefined ? tier : withPlugins(tier, values, plugins);
}

/** The casts are safe because the schema allows no other values. */
function toRouting({ router, retry, breaker, models, chains }: FileValues) {
  const { enabled = true, ...breaking } = breaker;
  return {
    router: router as RoutingSettings,
    retry: retry as Partial<RetrySettings>,
    breaker: enabled && breaking,
    aliases: models as Readonly<Record<string, AliasSettings>>,
    chains: chains as readonly ChainSettings[],
  };
}

function toNetwork(values: TableValues<'network'>, resolve: ResolvePath): NetworkSettings {
  const { caFile, clientCertFile, clientKeyFile } = values;
  const paths = omitUndefined({ caFile, clientCertFile, clientKeyFile });
  const absolute = Object.entries(paths).map(([name, path]) => [name, resolve(path)]);
  return { ...values, ...Object.fromEntries(absolute) };
}

function toHealing({ enabled, strictMode, allowTypeCoercion, minConfidence }: TableValues<'healing'>): HealingSettings {
  return omitUndefined({ enabled, strict: strictMode, coerceTypes: allowTypeCoercion, minConfidence });
}

function toCache({ backend, maxSize, ...same }: TableValues<'cache'>): CacheSettings {
  // Safe because the schema allows no other values.
  return { ...same, ...omitUndefined({ backend: backend as 'memory' | 'redis' | undefined, maxBytes: maxSize }) };
}

/** The cast is safe because the schema allows no other scopes. */
function toServer({ server, 'server.keys': keys }: FileValues, resolve: ResolvePath): ServerTier {
  const { signingKeyFile, ...same } = server;
  return {
    ...same,
    ...(signingKeyFile === undefined ? {} : { signingKeyFile: resolve(signingKeyFile) }),
    ...(keys.length === 0 ? {} : { keys: keys as readonly GatewayKey[] }),
  };
}

function toChat({ tools, ...same }: TableValues<'chat'>, resolve: ResolvePath): TableValues<'chat'> {
  return tools === undefined ? same : { ...same, tools: tools.map(resolve) };
}

/** The cast is safe because the schema allows no other wires. */
function toProvider(values: TableValues<'providers'>, resolve: ResolvePath): ProviderSettings {
  const { type, name = type, wire, apiKeyEnv, timeout, script, ...same } = values;
  return {
    ...same,
    name,
    type,
    ...(wire === undefined ? {} : { wire: wire as VendorWire }),
    ...(apiKeyEnv === undefined ? {} : { keyEnv: apiKeyEnv }),
    ...(timeout === undefined ? {} : { timeouts: { firstToken: timeout, plainTotal: timeout } }),
    ...(script === undefined ? {} : { script: resolve(script) }),
  };
}
