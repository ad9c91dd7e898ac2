// The labels of models in metrics. Clients may send any name, so only names in the configuration or the price list have
// their own label; all others share one. Invariant: the number of labels is bounded by these lists. All spellings of a
// listed model share the label of the first one that was requested.

import type { PriceBook } from '../../prices/price.ts';
import { ownModel, type ResolveSettings } from '../routing/resolve.ts';

const other = 'other';

/** Maps a name that a client sent, or the `provider/model` of a target. */
export type ModelLabel = (name: string) => string;

export function createModelLabel(settings: ResolveSettings, prices: PriceBook): ModelLabel {
  const configured = configuredNames(settings);
  const providers = new Set(settings.providers.map(({ name }) => name));
  const spellings = new Map<string, string>();
  const spell = (listed: string, name: string): string => {
    const known = spellings.get(listed);
    if (known === undefined) spellings.set(listed, name);
    return known ?? name;
  };
  const labelBare = (name: string): string => {
    const listed = [...providers].map((provider) => prices.listedName(name, provider)).find(Boolean);
    return listed === undefined ? other : spell(listed, name);
  };
  return (name) => {
    if (configured.has(name)) return name;
    const slash = name.indexOf('/');
    if (slash === -1) return labelBare(name);
    const provider = name.slice(0, slash);
    if (!providers.has(provider)) return other;
    const listed = prices.listedName(name.slice(slash + 1), provider);
    return listed === undefined ? `${provider}/${other}` : spell(`${provider}/${listed}`, name);
  };
}

/** Every name in the configuration, with and without its provider. */
function configuredNames({ providers, aliases = {}, chains = [], defaultModel }: ResolveSettings): Set<string> {
  const names = new Set<string>(Object.keys(aliases));
  for (const { targets } of [...Object.values(aliases), ...chains]) for (const target of targets) names.add(target);
  for (const { model } of chains) if (model !== undefined) names.add(model);
  if (defaultModel !== undefined) names.add(defaultModel);
  for (const provider of providers) {
    const { name, models = [] } = provider;
    names.add(name);
    for (const model of [ownModel(provider), ...models]) {
      if (model !== undefined) names.add(model).add(`${name}/${model}`);
    }
  }
  return names;
}
