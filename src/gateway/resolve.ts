// Which provider answers a model name. The order is fixed, so that a name means the same everywhere:
// alias → `provider/model` → a provider that lists the model → the vendor whose models are called so →
// the default provider → a vendor named outright that nobody configured → an error that names the candidates.

import { SimpleAgentsError, type ErrorKind } from '../core/error.ts';
import { entryOf } from '../core/json.ts';
import { didYouMean, suggest } from '../core/suggest.ts';
import { vendorNamed, vendorOfModel, vendors } from '../providers/vendors.ts';
import type { Strategy, StrategyName } from './strategy.ts';
import type { ProviderSettings } from './target.ts';

export interface ResolveSettings {
  readonly providers: readonly ProviderSettings[];
  readonly aliases?: Readonly<Record<string, AliasSettings>>;
  readonly chains?: readonly ChainSettings[];
  readonly defaultModel?: string;
  readonly defaultProvider?: string;
  /** Names of providers that may stand in, each with its own model, for calls of the default model. */
  readonly spares?: readonly string[];
  /** Who asks may not name a vendor that nobody configured: for servers, whose callers are not who configured them. */
  readonly onlyConfigured?: boolean;
}

/** A name of the user's own for one or several targets. */
export interface AliasSettings {
  /** Each `provider/model`. */
  readonly targets: readonly string[];
  /** How the targets are chosen; left out, as everywhere else. */
  readonly strategy?: StrategyName | Strategy;
  /** One for each target; left out, those of the providers. */
  readonly weights?: readonly number[];
}

/** Where the calls of a model go on when they fail. */
export interface ChainSettings {
  /** As calls name it; left out, the default model. */
  readonly model?: string;
  /** Each `provider/model`, in order. */
  readonly targets: readonly string[];
  /** The errors after which they go on; left out, as everywhere else. */
  readonly fallbackOn?: readonly ErrorKind[];
}

export interface Target {
  readonly provider: ProviderSettings;
  /** The name the provider knows the model by. */
  readonly model: string;
}

/** `provider/model`: how events and errors call a target. */
export function labelOf({ provider, model }: Target): string {
  return `${provider.name}/${model}`;
}

/** Without a name: the default model, else the default provider's, else that of the first provider. */
export function resolveModel(name: string | undefined, settings: ResolveSettings): Target {
  if (name === undefined || name === '') return resolveDefault(settings);
  return resolveName(targetOf(name, settings), settings) ?? fail(name, settings);
}

/** A target as an alias or a chain names it. */
export function resolveTarget(target: string, settings: ResolveSettings): Target {
  return resolveName(target, settings) ?? fail(target, settings);
}

/** Nothing where there is none, which is no mistake as long as calls name their model. */
export function defaultTarget(settings: ResolveSettings): Target | undefined {
  try {
    return resolveDefault(settings);
  } catch {
    return undefined;
  }
}

/** What an alias stands for; any other name stands for itself. */
function targetOf(name: string, { aliases = {} }: ResolveSettings): string {
  return entryOf(aliases, name)?.targets[0] ?? name;
}

function resolveDefault(settings: ResolveSettings): Target {
  if (settings.defaultModel) return resolveModel(settings.defaultModel, settings);
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

export function resolveName(name: string, settings: ResolveSettings): Target | undefined {
  return (
    resolvePrefixed(name, settings) ??
    resolveListed(name, settings) ??
    resolveByVendor(name, settings) ??
    resolveByDefault(name, settings) ??
    (settings.onlyConfigured ? undefined : resolveUnconfigured(name))
  );
}

/** The first segment is the provider; the rest, slashes and all, is its model. */
function resolvePrefixed(name: string, { providers }: ResolveSettings): Target | undefined {
  const [prefix, rest] = split(name);
  const provider = providers.find((candidate) => candidate.name === prefix);
  if (provider === undefined) return undefined;
  const model = rest ?? ownModel(provider);
  return model ? { provider, model } : undefined;
}

function split(name: string): [prefix: string, rest: string | undefined] {
  const slash = name.indexOf('/');
  return slash === -1 ? [name, undefined] : [name.slice(0, slash), name.slice(slash + 1)];
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

/** It may need no key; if it does, asking it says which. */
function resolveUnconfigured(name: string): Target | undefined {
  const [prefix, model] = split(name);
  const vendor = vendorNamed(prefix);
  if (vendor?.baseUrl === undefined || !model) return undefined;
  return { provider: { name: vendor.name, type: vendor.name }, model };
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
  const aliases = Object.keys(settings.aliases ?? {});
  const candidates = [...aliases, ...settings.providers.map((provider) => `${provider.name}/…`)];
  const problem = `no provider answers the model "${name}"${missing || guess(name, settings, aliases)}`;
  const stop = problem.endsWith('?') ? '' : '.';
  throw new SimpleAgentsError('not-found', `${problem}${stop} Known here: ${candidates.join(', ')}`, {
    field: 'model',
  });
}

function guess(name: string, { providers }: ResolveSettings, aliases: readonly string[]): string {
  const [prefix, rest] = split(name);
  const names = [...providers, ...vendors].map((provider) => provider.name);
  if (vendorNamed(prefix) !== undefined) return `; there is no provider of type "${prefix}" in the configuration`;
  if (rest === undefined) return didYouMean(name, [...aliases, ...providers.flatMap(modelsOf), ...names]);
  const meant = suggest(prefix, names);
  return meant === undefined || meant === prefix ? '' : `; did you mean "${meant}/${rest}"?`;
}

function modelsOf({ model, models = [] }: ProviderSettings): readonly string[] {
  return model === undefined ? models : [model, ...models];
}
