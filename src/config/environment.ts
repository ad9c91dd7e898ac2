// What the environment says. The only file here that touches `process.env`; everything else is handed an
// `Environment`. A variable that is empty counts as not set, as shells and CI systems mean it.

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

/** The variables a vendor has. */
type Variables = Pick<VendorRow, 'keyEnv' | 'baseUrlEnv'>;

/** Whether the environment is enough to use a vendor: its key, or the address of one that needs no key. */
export function isVendorPresent({ keyEnv, baseUrlEnv }: Variables, env: Environment): boolean {
  return readVariable(keyEnv ?? baseUrlEnv, env) !== undefined;
}

/** What the environment adds to a provider. */
export function readProviderVariables(
  provider: Pick<ProviderSettings, 'name' | 'type' | 'keyEnv' | 'baseUrl'>,
  env: Environment,
): Pick<ProviderSettings, 'keyEnv' | 'apiKey' | 'baseUrl'> {
  const vendor = vendorNamed(provider.type);
  const keyEnv = provider.keyEnv ?? vendor?.keyEnv;
  const apiKey = readVariable(keyEnv, env);
  // A vendor's address variable speaks of the vendor. A provider with a name and an address of its own is
  // somewhere else on purpose: moving it would also send its key to the wrong place.
  const isElsewhere = provider.name !== provider.type && provider.baseUrl !== undefined;
  const baseUrl = isElsewhere ? undefined : readUrl(vendor?.baseUrlEnv, env, checkPlainUrl);
  return {
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** As curl reads them: lower case first, and an address without a scheme is `http`. */
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
