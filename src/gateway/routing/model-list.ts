// Lists the models of a configuration: the default first, then aliases, then the configured models of each provider.
// Providers may serve further models that are not configured.

import { omitUndefined } from '../../core/json.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import type { PriceBook } from '../../prices/price.ts';
import { isPattern } from './alias-pattern.ts';
import { ownModel, resolveModel, withoutImplicit, type ResolveSettings, type Target } from './resolve.ts';
import type { ProviderSettings } from '../provider-settings.ts';

export function listModels(configured: ResolveSettings, prices: PriceBook): ModelListing[] {
  const settings = withoutImplicit(configured);
  const listings = new Map<string, ModelListing>();
  const add = (id: string | undefined, target: Target | undefined): void => {
    if (target === undefined) return;
    const name = id ?? nameOf(target);
    if (!listings.has(name)) listings.set(name, toListing(name, target, prices));
  };
  add(undefined, find(undefined, settings));
  for (const alias of Object.keys(settings.aliases ?? {})) if (!isPattern(alias)) add(alias, find(alias, settings));
  for (const provider of settings.providers) {
    for (const model of modelsOf(provider)) add(undefined, { provider, model });
  }
  return [...listings.values()];
}

/** What is known of a name that calls accept. Throws `not-found` for any other. */
export function describeModel(name: string, settings: ResolveSettings, prices: PriceBook): ModelListing {
  return toListing(name, resolveModel(name, settings), prices);
}

/** An unresolvable name is not listed. It is reported when it is called. */
function find(name: string | undefined, settings: ResolveSettings): Target | undefined {
  try {
    return resolveModel(name, settings);
  } catch {
    return undefined;
  }
}

function modelsOf(provider: ProviderSettings): readonly string[] {
  const own = ownModel(provider);
  return [...(own === undefined ? [] : [own]), ...(provider.models ?? [])];
}

function nameOf({ provider, model }: Target): string {
  return provider.name === model ? model : `${provider.name}/${model}`;
}

function toListing(id: string, { provider, model }: Target, prices: PriceBook): ModelListing {
  const price = prices.priceOf(model, provider.name);
  return omitUndefined({
    id,
    provider: provider.name,
    contextWindow: prices.contextWindowOf(model, provider.name),
    price: price && { input: price.input, output: price.output },
  });
}
