// Chooses the agent's model and its address: flag > environment > configuration > the vendor's default. The agent retries
// itself, so retries in the gateway are off.

import { readVariable, type Environment } from '../../config/environment.ts';
import { checkPlainUrl } from '../../config/schema/rules.ts';
import type { Settings } from '../../config/settings.ts';
import { createTransport } from '../../config/transport.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { resolveModel, type Target } from '../../gateway/routing/resolve.ts';
import type { ProviderSettings } from '../../gateway/provider-settings.ts';
import { vendorNamed, vendorOfModel } from '../../providers/vendors.ts';
import { loadFlagSettings } from '../simple-agents/connect.ts';
import { isSimulated, nameOf } from '../simple-agents/default-model.ts';
import { checkAddress, failWithoutKey, isFallback } from '../simple-agents/simulated-fallback.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { AgentModel } from '../../coder/coder.ts';
import type { RunFlags } from './flags.ts';
import { createGateway } from '../../node.ts';

export type AgentModelFlags = Pick<RunFlags, 'model' | 'provider' | 'apiUrl' | 'config' | 'demo'>;

export const defaultModel = 'claude-opus-4-6';
const defaultVendor = 'anthropic';

const loading = {
  /** A model may reason for minutes between two tokens. */
  fallbackTimeouts: { firstToken: 300_000, idle: 300_000 },
  /** The agent works in repositories of others. */
  trustsFolder: false,
};

/** `mayFallBack`: if no key is set, the simulated model responds. The caller tells the user. */
export async function connectAgent(
  flags: AgentModelFlags,
  { env, cwd }: Terminal,
  { mayFallBack }: { readonly mayFallBack: boolean },
): Promise<AgentModel> {
  const variables = withAddress(env);
  const settings = await loadAgentSettings(flags, variables, cwd);
  const target = resolveModel(undefined, settings);
  checkKey(target);
  const isUnasked = isFallback(target, settings);
  if (isUnasked) checkAddress(variables);
  if (isUnasked && !mayFallBack) failWithoutKey();
  const quiet: Settings = { ...settings, retry: false, breaker: false };
  return {
    gateway: createGateway(quiet, { transport: createTransport(quiet) }),
    name: nameOf(target),
    isSimulated: isSimulated(target),
    takesCacheMarkers: takesCacheMarkers(target),
    ...omitUndefined({ apiUrl: addressOf(target.provider) }),
    isFallback: isUnasked,
    secrets: settings.providers.flatMap(({ apiKey }) => apiKey ?? []),
  };
}

/**
 * Connects another model in the middle of a run. A name with a provider replaces the provider and address of the flags.
 */
export function connectOther(name: string, flags: AgentModelFlags, terminal: Terminal): Promise<AgentModel> {
  const { demo: _demo, ...named } = flags;
  const { provider: _provider, apiUrl: _apiUrl, ...others } = named;
  const kept = name.includes('/') ? others : named;
  return connectAgent({ ...kept, model: name }, terminal, { mayFallBack: false });
}

/** Fails at the start and not at the first request. */
function checkKey({ provider: { name, type, apiKey, keyEnv, needsNoKey } }: Target): void {
  const vendor = vendorNamed(type);
  if (vendor?.needsKey !== true || needsNoKey === true || apiKey !== undefined) return;
  const message = `${vendor.label} needs an API key: set ${keyEnv ?? vendor.keyEnv}`;
  throw new SimpleAgentsError('auth', message, { target: name });
}

/** The older variable is supported too and takes precedence over the vendor's. */
function withAddress(env: Environment): Environment {
  const address = readVariable('ANTHROPIC_API_URL', env);
  return address === undefined ? env : { ...env, 'ANTHROPIC_BASE_URL': address };
}

/** The settings whose default model is the agent's model. */
export async function loadAgentSettings(flags: AgentModelFlags, env: Environment, cwd: string): Promise<Settings> {
  const { config, provider, apiUrl, demo } = flags;
  const model = demo ? 'simulated' : apiUrl === undefined ? flags.model : atVendor(flags);
  const settings = await loadFlagSettings(omitUndefined({ model, provider, config }), { env, cwd }, loading);
  const named = omitUndefined({ ...settings, defaultModel: settings.defaultModel ?? usualModel(settings) });
  if (apiUrl === undefined) return named;
  const problem = checkPlainUrl(apiUrl);
  if (problem !== undefined) throw new SimpleAgentsError('bad-request', `--api-url: ${problem}`);
  const { name } = resolveModel(undefined, named).provider;
  return {
    ...named,
    providers: named.providers.map((each) => (each.name === name ? moveTo(apiUrl, each) : each)),
  };
}

/** With an explicit address, the model's name decides the vendor, even without a key. */
function atVendor({ model, provider }: AgentModelFlags): string | undefined {
  if (provider !== undefined || model?.includes('/')) return model;
  const vendor = vendorOfModel(model ?? defaultModel)?.name ?? defaultVendor;
  return `${vendor}/${model ?? defaultModel}`;
}

/** Undefined if the default of the settings applies. */
function usualModel({ defaultProvider, providers }: Settings): string | undefined {
  const provider = providers.find(({ name, type }) => (defaultProvider ? name === defaultProvider : isUsual(type)));
  if (provider === undefined || !isUsual(provider.type)) return undefined;
  return `${provider.name}/${provider.model ?? defaultModel}`;
}

function isUsual(type: string): boolean {
  return type === defaultVendor;
}

/** At another address a key may not be needed. Calls with cloud credentials need none anywhere. */
function moveTo(baseUrl: string, provider: ProviderSettings): ProviderSettings {
  const { wire, cloud } = vendorNamed(provider.type) ?? {};
  const isOpen = provider.apiKey === undefined && wire !== undefined && cloud === undefined;
  const type = wire === 'anthropic-messages' ? 'anthropic-compatible' : 'openai-compatible';
  return { ...provider, baseUrl, ...(isOpen ? { type } : {}) };
}

function addressOf({ type, baseUrl }: ProviderSettings): string | undefined {
  const url = URL.parse(baseUrl ?? vendorNamed(type)?.baseUrl ?? '');
  if (url === null) return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}

const markedWires: ReadonlySet<string | undefined> = new Set([
  'anthropic-messages',
  'bedrock-converse',
  'bedrock-anthropic',
]);

/** Whether the provider caches prompts up to marked blocks. */
function takesCacheMarkers({ provider: { type } }: Target): boolean {
  const vendor = vendorNamed(type);
  return markedWires.has(vendor?.wire) || vendor?.quirks?.cacheMarkers === 'cache-control';
}
