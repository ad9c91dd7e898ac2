// Loads a configuration file and resolves it to settings. All problems of a file become one `configuration` error that
// gives the position and the fix of each. Invariant: no message quotes the file's text, because it may contain a key.

import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
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
import type { NetworkSettings, Timeouts } from '../providers/remote.ts';
import { checkConsistency } from './schema/consistency.ts';
import { processEnvironment, type Environment } from './environment.ts';
import { findConfigFile, isConfigNamed } from './find.ts';
import { toConfigurationError } from './schema/problem.ts';
import type { FileValues, TableValues } from './schema/file-values.ts';
import { resolveSettings, type ServerTier, type Settings, type SettingsTier } from './settings.ts';
import { validate } from './schema/validate.ts';

export interface LoadOptions {
  /** If left out, the default locations are searched; `false` uses no file. */
  readonly path?: string | false;
  readonly cwd?: string;
  readonly env?: Environment;
  /** Settings from the calling code. */
  readonly overrides?: SettingsTier;
  /** Timeouts to use in place of the defaults where nothing is configured. */
  readonly fallbackTimeouts?: Partial<Timeouts>;
}

export async function loadSettings(options: LoadOptions = {}): Promise<Settings> {
  const { path, cwd = process.cwd(), env = processEnvironment(), overrides = {}, fallbackTimeouts = {} } = options;
  const search = { cwd, env, ...(typeof path === 'string' ? { explicit: path } : {}) };
  const file = path === false ? undefined : await findConfigFile(search);
  if (file === undefined) return resolveSettings({ env, code: overrides, fallbackTimeouts });
  const shown = displayPath(file, cwd);
  const values = await parseConfig(await readConfigText(file, cwd), shown, { isNamed: isConfigNamed(search) });
  return { file, ...resolveSettings({ file: toTier(values, dirname(file)), env, code: overrides, fallbackTimeouts }) };
}

/** Reads the file's text; throws a `configuration` error with the reason if it cannot be read. */
export function readConfigText(file: string, cwd = process.cwd()): Promise<string> {
  return readText(file, displayPath(file, cwd));
}

export interface ParseOptions {
  /** The user named the file, so it must contain settings: an empty file is a mistake or an unfinished write. */
  readonly isNamed?: boolean;
}

/** Parses and validates a file's text; `shown` is the file name for messages. */
export async function parseConfig(text: string, shown: string, { isNamed }: ParseOptions = {}): Promise<FileValues> {
  const document = await parseToml(text, shown);
  if (isNamed === true && Object.keys(document).length === 0) throw emptyFileError(shown);
  const { draft, problems } = validate(document);
  const wrong = new Set(problems.map(({ path }) => JSON.stringify(path)));
  // Each wrong field is reported once.
  const further = checkConsistency(draft).filter(({ path }) => !wrong.has(JSON.stringify(path)));
  const all = [...problems, ...further];
  if (all.length > 0) throw toConfigurationError(shown, all, locateInToml(text));
  // Safe because a missing required field is a problem.
  return draft as FileValues;
}

function emptyFileError(shown: string): SimpleAgentsError {
  const fix = 'restore its settings, or omit the file name to use the defaults';
  return new SimpleAgentsError('configuration', `${shown}: the file is empty or has only comments; ${fix}`);
}

const readFailures: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory, not a file',
  EACCES: 'permission denied; check the permissions of the file',
  EPERM: 'permission denied; check the permissions of the file',
  ENOENT: 'file not found',
};

async function readText(file: string, shown: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reason = readFailures[error.code ?? ''] ?? `cannot be read (${error.code ?? error.message})`;
    throw new SimpleAgentsError('configuration', `${shown}: ${reason}`, { cause: error });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SimpleAgentsError('configuration', `${shown}: is not UTF-8 text; save the file as UTF-8`);
  }
}

/** Relative if the file is below the working directory, else absolute. */
export function displayPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

function toTier(values: FileValues, folder: string): SettingsTier {
  const { defaultTimeout, ...client } = values.client;
  const { http, https, noProxy } = values.proxy;
  return {
    ...client,
    ...(defaultTimeout === undefined ? {} : { timeout: defaultTimeout }),
    timeouts: values.timeouts,
    proxy: {
      ...(http === undefined ? {} : { httpProxy: http }),
      ...(https === undefined ? {} : { httpsProxy: https }),
      ...(noProxy === undefined ? {} : { noProxy: noProxy.join(',') }),
    },
    network: toNetwork(values.network, folder),
    healing: toHealing(values.healing),
    cache: toCache(values.cache),
    server: toServer(values),
    chat: toChat(values.chat, folder),
    prices: values.prices,
    ...toRouting(values),
    providers: values.providers.map((provider) => toProvider(provider, folder)),
  };
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

function toNetwork(values: TableValues<'network'>, folder: string): NetworkSettings {
  const { caFile, clientCertFile, clientKeyFile } = values;
  const paths = omitUndefined({ caFile, clientCertFile, clientKeyFile });
  const absolute = Object.entries(paths).map(([name, path]) => [name, resolve(folder, path)]);
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
function toServer({ server, 'server.keys': keys }: FileValues): ServerTier {
  return keys.length === 0 ? server : { ...server, keys: keys as readonly GatewayKey[] };
}

function toChat({ tools, ...same }: TableValues<'chat'>, folder: string): TableValues<'chat'> {
  return tools === undefined ? same : { ...same, tools: tools.map((path) => resolve(folder, path)) };
}

function toProvider(values: TableValues<'providers'>, folder: string): ProviderSettings {
  const { type, name = type, apiKeyEnv, timeout, script, ...same } = values;
  return {
    ...same,
    name,
    type,
    ...(apiKeyEnv === undefined ? {} : { keyEnv: apiKeyEnv }),
    ...(timeout === undefined ? {} : { timeouts: { firstToken: timeout, plainTotal: timeout } }),
    ...(script === undefined ? {} : { script: resolve(folder, script) }),
  };
}
