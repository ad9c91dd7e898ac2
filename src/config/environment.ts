// Reads settings from the environment. The only file here that uses `process.env`; other code takes an `Environment`. An
// empty variable counts as not set, as is usual in shells and CI systems.

import { SimpleAgentsError } from '../core/error.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';
import type { ProxySettings } from '../providers/remote.ts';
import { vendorNamed, type VendorRow } from '../providers/vendors.ts';
import { checkHttpUrl, checkPlainUrl, checkRedisUrl, type ValueRule } from './schema/rules.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): Environment {
  return process.env;
}

export function readVariable(name: string | undefined, env: Environment): string | undefined {
  const text = name === undefined ? undefined : env[name]?.trim();
  return text === '' ? undefined : text;
}

/** The environment variables of a vendor. */
type Variables = Pick<
  VendorRow,
  'keyEnv' | 'otherKeyEnv' | 'baseUrlEnv' | 'baseUrlPattern' | 'baseUrl' | 'cloud' | 'isOpenElsewhere'
>;

/**
 * Whether the environment has what a vendor needs: its key, or the URL of a vendor without keys. A vendor without a URL of
 * its own needs both, unless it can be called with cloud credentials.
 */
export function isVendorPresent(vendor: Variables, env: Environment): boolean {
  const { keyEnv, otherKeyEnv, baseUrlEnv, baseUrlPattern, baseUrl, cloud, isOpenElsewhere } = vendor;
  const hasKey = (readVariable(keyEnv, env) ?? readVariable(otherKeyEnv, env)) !== undefined;
  const hasUrl = (readVariable(baseUrlEnv, env) ?? fillPattern(baseUrlPattern, env)) !== undefined;
  if (baseUrl === undefined && keyEnv !== undefined) return hasUrl && (hasKey || cloud !== undefined);
  return keyEnv === undefined ? hasUrl : hasKey || (hasUrl && isOpenElsewhere === true);
}

/** The settings of a provider that come from the environment. */
export function readProviderVariables(
  provider: Pick<ProviderSettings, 'name' | 'type' | 'keyEnv' | 'baseUrl'>,
  env: Environment,
): Pick<ProviderSettings, 'keyEnv' | 'apiKey' | 'baseUrl' | 'needsNoKey'> {
  const vendor = vendorNamed(provider.type);
  const keyEnv = provider.keyEnv ?? usualKeyVariable(vendor, env);
  const apiKey = readVariable(keyEnv, env);
  // The URL variable of a vendor applies to the vendor itself. A provider with its own name and URL is a different
  // server: changing its URL would also send its key there.
  const isElsewhere = provider.name !== provider.type && provider.baseUrl !== undefined;
  const named = isElsewhere ? undefined : readUrl(vendor?.baseUrlEnv, env, checkPlainUrl);
  // A pattern is the vendor's own address, so a configured URL replaces it.
  const baseUrl = named ?? (provider.baseUrl === undefined ? fillPattern(vendor?.baseUrlPattern, env) : undefined);
  const needsNoKey = vendor?.isOpenElsewhere && named !== undefined && provider.keyEnv === undefined;
  return {
    ...(needsNoKey && apiKey === undefined ? { needsNoKey } : {}),
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** The first variable that is set, else the first. */
function usualKeyVariable(vendor: VendorRow | undefined, env: Environment): string | undefined {
  const { keyEnv, otherKeyEnv } = vendor ?? {};
  return readVariable(keyEnv, env) === undefined && readVariable(otherKeyEnv, env) !== undefined ? otherKeyEnv : keyEnv;
}

/** Undefined unless all variables are set. The address of the global location has no prefix. */
function fillPattern(pattern: string | undefined, env: Environment): string | undefined {
  if (pattern === undefined) return undefined;
  const values = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => readVariable(name, env));
  if (values.includes(undefined)) return undefined;
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(readVariable(name, env) ?? ''),
  );
  return filled.replace('//global-', '//');
}

/** Same rules as in curl: lower case wins, and a URL without a scheme is `http`. */
export function readProxyVariables(env: Environment): ProxySettings {
  const httpProxy = readProxyUrl('HTTP_PROXY', env);
  const httpsProxy = readProxyUrl('HTTPS_PROXY', env);
  const noProxy = readVariable('no_proxy', env) ?? readVariable('NO_PROXY', env);
  return {
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
  };
}

export function readRedisUrl(name: string, env: Environment): string | undefined {
  return readUrl(name, env, checkRedisUrl);
}

function readProxyUrl(name: string, env: Environment): string | undefined {
  const used = readVariable(name.toLowerCase(), env) === undefined ? name : name.toLowerCase();
  return readUrl(used, env, checkHttpUrl, (text) => (text.includes('://') ? text : `http://${text}`));
}

function readUrl(
  name: string | undefined,
  env: Environment,
  rule: ValueRule<string>,
  complete = (text: string) => text,
): string | undefined {
  const text = readVariable(name, env);
  if (name === undefined || text === undefined) return undefined;
  const url = complete(text);
  const problem = rule(url);
  if (problem === undefined) return url;
  throw new SimpleAgentsError('configuration', `environment variable ${name}: ${problem}`, { field: name });
}
