// Finds the provider for a model name. The order is fixed, so that a name means the same everywhere:
// alias → `provider/model` → the providers that list the model → the provider of the vendor whose models have such names →
// the default provider → a vendor that is named but not configured → an error that names the candidates.

import { SimpleAgentsError, type ErrorKind } from '../../core/error.ts';
import { didYouMean, suggest } from '../../core/suggest.ts';
import { hasOnlyOwnModels, vendorNamed, vendorOfModel, vendors } from '../../providers/vendors.ts';
import { findAlias, isPattern } from './alias-pattern.ts';
import type { Strategy, StrategyName } from './strategy.ts';
import type { ProviderSettings } from '../provider-settings.ts';

export interface ResolveSettings {
  readonly providers: readonly ProviderSettings[];
  readonly aliases?: Readonly<Record<string, AliasSettings>>;
  readonly chains?: readonly ChainSettings[];
  readonly defaultModel?: string;
  readonly defaultProvider?: string;
  /** Names of providers that may serve requests without a model name, each with its own model. */
  readonly spares?: readonly string[];
  /** Only what the configuration names is available. For servers, whose clients did not write the configuration. */
  readonly onlyConfigured?: boolean;
}

/** An alias for one or several targets. */
export interface AliasSettings {
  /** Each `provider/model`. */
  readonly targets: readonly string[];
  /** How a target is chosen. Defaults to the router's strategy. */
  readonly strategy?: StrategyName | Strategy;
  /** One for each target. Defaults to the weights of the providers. */
  readonly weights?: readonly number[];
}

/** The fallbacks of a model name. */
export interface ChainSettings {
  /** The name exactly as in requests. Defaults to the default model. */
  readonly model?: string;
  /** Each `provider/model`, in order. */
  readonly targets: readonly string[];
  /** The kinds of errors after which the next target is called. Defaults to the router's setting. */
  readonly fallbackOn?: readonly ErrorKind[];
}

export interface Target {
  readonly provider: ProviderSettings;
  /** The name the provider knows the model by. */
  readonly model: string;
}

/** The settings without providers that the configuration does not name. Clients must not use them, and lists do not show them. */
export function withoutImplicit<T extends ResolveSettings>(settings: T): T {
  return { ...settings, providers: settings.providers.filter(({ isImplicit }) => isImplicit !== true) };
}

/** `provider/model`, as in events and errors. */
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

/** What an alias stands for; any other name stands for itself. */
function targetOf(name: string, settings: ResolveSettings): string {
  return findAlias(name, settings)?.targets[0] ?? name;
}

function resolveDefault(settings: ResolveSettings): Target {
  if (settings.defaultModel) return resolveModel(settings.defaultModel, settings);
  const provider = defaultProviderOf(settings) ?? settings.providers[0];
  const model = provider && ownModel(provider);
  if (provider === undefined || model === undefined) {
    throw new SimpleAgentsError(
      'bad-request',
      'the request names no model and the configuration has no default model; set one as provider/model',
      { field: 'model' },
    );
  }
  return { provider, model };
}

/** All targets of a name that is not an alias. There are several only if several providers list the model. */
export function resolveAll(name: string, settings: ResolveSettings): readonly Target[] {
  const candidates = candidatesOf(name, settings);
  return candidates.length > 0 ? candidates : fail(name, settings);
}

function resolveName(name: string, settings: ResolveSettings): Target | undefined {
  return candidatesOf(name, settings)[0];
}

function candidatesOf(name: string, settings: ResolveSettings): readonly Target[] {
  const prefixed = resolvePrefixed(name, settings);
  if (prefixed !== undefined) return [prefixed];
  const listed = resolveListed(name, settings);
  // The name is a provider without a default model. No other provider may serve it.
  if (listed.length > 0 || providerNamed(name, settings) !== undefined) return listed;
  const known =
    resolveByVendor(name, settings) ??
    resolveByDefault(name, settings) ??
    (settings.onlyConfigured ? undefined : resolveUnconfigured(name));
  return known === undefined ? [] : [known];
}

/** The first segment is the provider; the rest, including slashes, is its model. */
function resolvePrefixed(name: string, settings: ResolveSettings): Target | undefined {
  const provider = providerNamed(name, settings);
  const [, rest] = split(name);
  const model = provider && (rest ?? ownModel(provider));
  return provider && model ? { provider, model } : undefined;
}

function providerNamed(name: string, { providers }: ResolveSettings): ProviderSettings | undefined {
  const [prefix] = split(name);
  return providers.find((candidate) => candidate.name === prefix);
}

function split(name: string): [prefix: string, rest: string | undefined] {
  const slash = name.indexOf('/');
  return slash === -1 ? [name, undefined] : [name.slice(0, slash), name.slice(slash + 1)];
}

function resolveListed(name: string, { providers }: ResolveSettings): Target[] {
  const listing = providers.filter(({ model, models }) => model === name || models?.includes(name));
  return listing.map((provider) => ({ provider, model: name }));
}

function resolveByVendor(name: string, { providers }: ResolveSettings): Target | undefined {
  const vendor = vendorOfModel(name);
  const provider = vendor && providers.find(({ type }) => type === vendor.name);
  return provider && { provider, model: name };
}

function resolveByDefault(name: string, settings: ResolveSettings): Target | undefined {
  const provider = defaultProviderOf(settings);
  return provider === undefined || isOfAnother(name, provider) ? undefined : { provider, model: name };
}

/**
 * `openai/gpt-5` names a vendor. A provider that hosts models of others may know a model by such a name; one that serves
 * its own models only must not get a request that was meant for another vendor.
 */
function isOfAnother(name: string, { type }: ProviderSettings): boolean {
  const [prefix, rest] = split(name);
  const vendor = rest === undefined ? vendorOfModel(name) : vendorNamed(prefix);
  return vendor !== undefined && vendor.name !== type && hasOnlyOwnModels(type);
}

/** The vendor may need no key. If it does, the call reports which. */
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
  // The simulated model accepts any name; this is its usual one.
  return model ?? (type === 'simulated' ? type : vendorNamed(type)?.defaultModel);
}

function fail(name: string, settings: ResolveSettings): never {
  const vendor = vendorOfModel(name);
  const missing =
    vendor?.keyEnv === undefined ? '' : `; it is a model of ${vendor.label}: set ${vendor.keyEnv} to use it`;
  const aliases = Object.keys(settings.aliases ?? {});
  const problem = `no provider serves the model "${name}"${missing || guess(name, settings, aliases)}`;
  const stop = problem.endsWith('?') ? '' : '.';
  throw new SimpleAgentsError('not-found', `${problem}${stop} ${describeOffer(settings, aliases)}`, { field: 'model' });
}

/** Clients of a server get the list of models from its route, and no list of its providers. */
function describeOffer({ providers, onlyConfigured }: ResolveSettings, aliases: readonly string[]): string {
  if (onlyConfigured === true) return 'GET /v1/models lists the models';
  return `Available: ${[...aliases, ...providers.map(({ name }) => `${name}/…`)].join(', ')}`;
}

function guess(name: string, settings: ResolveSettings, aliases: readonly string[]): string {
  const { providers } = settings;
  const [prefix, rest] = split(name);
  if (providerNamed(name, settings) !== undefined) return `; name a model: ${prefix}/MODEL`;
  const names = [...providers, ...vendors].map((provider) => provider.name);
  if (vendorNamed(prefix) !== undefined) return `; there is no provider of type "${prefix}" in the configuration`;
  if (rest === undefined)
    return didYouMean(name, [
      ...aliases.filter((alias) => !isPattern(alias)),
      ...providers.flatMap(modelsOf),
      ...names,
    ]);
  const meant = suggest(prefix, names);
  return meant === undefined || meant === prefix ? '' : `; did you mean "${meant}/${rest}"?`;
}

function modelsOf({ model, models = [] }: ProviderSettings): readonly string[] {
  return model === undefined ? models : [model, ...models];
}
