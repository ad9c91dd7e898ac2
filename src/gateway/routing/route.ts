// The targets of a model name: those that share its calls, and its fallbacks.
// Invariants, the data-governance promise of docs/routing.md:
//   1. `provider/model`, or a provider's name, has that provider as its only target.
//   2. A model's own name has only providers that list it, else the one provider known to serve it.
//   3. An alias has the targets it lists; a chain adds fallbacks only to the exact name it was written for.
//   4. Spare providers, each with its own model, serve only requests that name no model.

import type { ErrorKind } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { findAlias } from './alias-pattern.ts';
import {
  labelOf,
  ownModel,
  resolveAll,
  resolveModel,
  resolveTarget,
  type AliasSettings,
  type ChainSettings,
  type ResolveSettings,
  type Target,
} from './resolve.ts';
import type { Strategy, StrategyName } from './strategy.ts';

export interface Route {
  /** Strategies keep their state under this name. */
  readonly name: string;
  /** The strategy chooses among these; by default the first is called first. */
  readonly targets: readonly WeightedTarget[];
  readonly fallbacks: readonly Target[];
  readonly strategy?: StrategyName | Strategy;
  readonly fallbackOn?: readonly ErrorKind[];
}

export interface WeightedTarget extends Target {
  readonly weight: number;
}

/** The route of the first name, with the targets of the others as further fallbacks. */
export function resolveRoutes(names: readonly string[], settings: ResolveSettings): Route {
  const [first, ...others] = names;
  const route = resolveRoute(first, settings);
  const further = others.flatMap((name) => resolveRoute(name, settings).targets);
  const fallbacks = withoutRepeats([...route.fallbacks, ...further], route.targets);
  return { ...route, fallbacks };
}

export function resolveRoute(name: string | undefined, settings: ResolveSettings): Route {
  const asked = name || defaultName(settings);
  const alias = findAlias(asked, settings);
  const targets =
    alias === undefined
      ? resolveAll(asked, settings).map((target) => weighted(target))
      : targetsOfAlias(alias, settings);
  const chain = settings.chains?.find((candidate) => isChainOf(candidate, name, settings));
  const spares = !name && chain === undefined && targets.length === 1 ? sparesFor(targets[0], settings) : [];
  return {
    // Round-robin state is kept by name, so a route with spares needs a name that no request can have.
    name: spares.length > 0 ? '' : asked,
    targets: [...targets, ...spares],
    fallbacks: withoutRepeats(chain?.targets.map((target) => resolveTarget(target, settings)) ?? [], targets),
    ...omitUndefined({ strategy: alias?.strategy, fallbackOn: chain?.fallbackOn }),
  };
}

/** The name that a request without a model stands for. */
export function defaultName(settings: ResolveSettings): string {
  return settings.defaultModel || labelOf(resolveModel(undefined, settings));
}

/** A chain without a model is for the default model. Other spellings of the same target do not match. */
function isChainOf({ model }: ChainSettings, name: string | undefined, settings: ResolveSettings): boolean {
  if (model === undefined) return !name || name === settings.defaultModel;
  return model === (name || defaultName(settings));
}

function targetsOfAlias({ targets, weights }: AliasSettings, settings: ResolveSettings): WeightedTarget[] {
  return targets.map((target, ordinal) => weighted(resolveTarget(target, settings), weights?.[ordinal]));
}

function weighted(target: Target, weight = target.provider.weight ?? 1): WeightedTarget {
  return { ...target, weight };
}

function isSame(left: Target | undefined, right: Target | undefined): boolean {
  return left !== undefined && left.provider.name === right?.provider.name && left.model === right.model;
}

/** The simulated model is never a spare for a real one, because its responses look real. */
function sparesFor(first: Target | undefined, { providers, spares = [] }: ResolveSettings): WeightedTarget[] {
  const named = spares.flatMap((name) => providers.find((provider) => provider.name === name) ?? []);
  return named.flatMap((provider) => {
    const model = ownModel(provider);
    const isWrong = provider.type === 'simulated' && first?.provider.type !== 'simulated';
    if (model === undefined || isWrong || provider.name === first?.provider.name) return [];
    return [weighted({ provider, model })];
  });
}

function withoutRepeats(targets: readonly Target[], others: readonly Target[]): Target[] {
  return targets.filter(
    (target, ordinal) => ![...others, ...targets.slice(0, ordinal)].some((other) => isSame(target, other)),
  );
}
