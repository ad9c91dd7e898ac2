// Which provider answers a model name. The order is fixed, so that a name means the same everywhere:
// alias → `provider/model` → a provider that lists the model → the vendor whose models are called so →
// the default provider → an error that names the candidates.

import { SimpleAgentsError } from '../core/error.ts';
import { vendorNamed, vendorOfModel } from '../providers/vendors.ts';
import type { ProviderSettings } from './target.ts';

export interface ResolveSettings {
  readonly providers: readonly ProviderSettings[];
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly defaultModel?: string;
  readonly defaultProvider?: string;
}

export interface Target {
  readonly provider: ProviderSettings;
  /** The name the provider knows the model by. */
  readonly model: string;
}

/** Without a name: the default model, else the default provider's, else that of the first provider. */
export function resolveModel(name: string | undefined, settings: ResolveSettings): Target {
  if (name === undefined || name === '') return resolveDefault(settings);
  return resolveName(targetOf(name, settings), settings) ?? fail(name, settings);
}

/** What an alias stands for; any other name stands for itself. */
function targetOf(name: string, { aliases = {} }: ResolveSettings): string {
  return (Object.hasOwn(aliases, name) ? aliases[name]?.[0] : undefined) ?? name;
}

function resolveDefault(settings: ResolveSettings): Target {
  if (settings.defaultModel !== undefined)
    return resolveModel(settings.defaultModel, { ...settings, defaultModel: '' });
  const provider = defaultProviderOf(settings) ?? settings.providers[0];
  const model = provider && ownModel(provider);
  if (provider === undefined || model === undefined) {
    throw new SimpleAgentsError(
      'configuration',
      'no model was named and there is no default; name one as provider/model',
    );
  }
  return { provider, model };
}

function resolveName(name: string, settings: ResolveSettings): Target | undefined {
  return (
    resolvePrefixed(name, settings) ??
    resolveListed(name, settings) ??
    resolveByVendor(name, settings) ??
    resolveByDefault(name, settings)
  );
}

/** The first segment is the provider; the rest, slashes and all, is its model. */
function resolvePrefixed(name: string, { providers }: ResolveSettings): Target | undefined {
  const slash = name.indexOf('/');
  const prefix = slash === -1 ? name : name.slice(0, slash);
  const provider = providers.find((candidate) => candidate.name === prefix);
  if (provider === undefined) return undefined;
  const model = slash === -1 ? ownModel(provider) : name.slice(slash + 1);
  return model ? { provider, model } : undefined;
}

function resolveListed(name: string, { providers }: ResolveSettings): Target | undefined {
  const provider = providers.find(({ model, models }) => model === name || models?.includes(name));
  return provider && { provider, model: name };
}

function resolveByVendor(name: string, { providers }: ResolveSettings): Target | undefined {
  const vendor = vendorOfModel(name);
  const provider = vendor && providers.find(({ type }) => type === vendor.name);
  return provider && { provider, model: name };
}

function resolveByDefault(name: string, settings: ResolveSettings): Target | undefined {
  const provider = defaultProviderOf(settings);
  return provider && { provider, model: name };
}

function defaultProviderOf({ defaultProvider, providers }: ResolveSettings): ProviderSettings | undefined {
  return providers.find(({ name }) => name === defaultProvider);
}

export function ownModel(provider: ProviderSettings): string | undefined {
  const { type, model = provider.models?.[0] } = provider;
  // The simulated model is no vendor's: it answers to any name, and this is the one it is known by.
  return model ?? (type === 'simulated' ? type : vendorNamed(type)?.defaultModel);
}

function fail(name: string, settings: ResolveSettings): never {
  const vendor = vendorOfModel(name);
  const missing =
    vendor?.keyEnv === undefined ? '' : `; it is a model of ${vendor.label}: set ${vendor.keyEnv} to use it there`;
  const candidates = [...Object.keys(settings.aliases ?? {}), ...settings.providers.map((each) => `${each.name}/…`)];
  throw new SimpleAgentsError(
    'not-found',
    `no provider answers the model "${name}"${missing}. Known here: ${candidates.join(', ')}`,
    { field: 'model' },
  );
}
