// All the targets that a model name has: those it is shared among, and those it falls back to. A name has more than one
// only where an alias or a chain says so; a call of the default model may also go to the spare providers.

import type { ErrorKind } from '../core/error.ts';
import { compact, entryOf } from '../core/json.ts';
import {
  defaultTarget,
  labelOf,
  ownModel,
  resolveModel,
  resolveName,
  resolveTarget,
  type AliasSettings,
  type ResolveSettings,
  type Target,
} from './resolve.ts';
import type { Strategy, StrategyName } from './strategy.ts';

export interface Route {
  /** The same for all names that mean the same. */
  readonly name: string;
  /** Among these is chosen; the first is who answers when nothing fails and nothing else was said. */
  readonly targets: readonly WeightedTarget[];
  readonly fallbacks: readonly Target[];
  readonly strategy?: StrategyName | Strategy;
  readonly fallbackOn?: readonly ErrorKind[];
}

export interface WeightedTarget extends Target {
  readonly weight: number;
}

export function resolveRoute(name: string | undefined, settings: ResolveSettings): Route {
  const asked = name || settings.defaultModel || '';
  const alias = entryOf(settings.aliases ?? {}, asked);
  const targets = alias === undefined ? [weighted(resolveModel(asked, settings))] : targetsOfAlias(alias, settings);
  const [first] = targets;
  const plain = alias === undefined ? first : undefined;
  const isDefault = asked === '' || asked === settings.defaultModel || isSame(plain, defaultTarget(settings));
  const chain = settings.chains?.find(({ model }) => {
    return model === undefined ? isDefault : model === asked || isSame(plain, plainTarget(model, settings));
  });
  const spares = isDefault && chain === undefined && targets.length === 1 ? sparesFor(first, settings) : [];
  const { fallbackOn } = chain ?? {};
  const { strategy } = alias ?? {};
  return {
    name: plain === undefined ? asked : labelOf(plain),
    targets: [...targets, ...spares],
    fallbacks: withoutRepeats(chain?.targets.map((target) => resolveTarget(target, settings)) ?? [], targets),
    ...compact({ strategy, fallbackOn }),
  };
}

function targetsOfAlias({ targets, weights }: AliasSettings, settings: ResolveSettings): WeightedTarget[] {
  return targets.map((target, ordinal) => weighted(resolveTarget(target, settings), weights?.[ordinal]));
}

function weighted(target: Target, weight = target.provider.weight ?? 1): WeightedTarget {
  return { ...target, weight };
}

/** What a name means that is no alias. */
function plainTarget(name: string, settings: ResolveSettings): Target | undefined {
  return entryOf(settings.aliases ?? {}, name) === undefined ? resolveName(name, settings) : undefined;
}

function isSame(left: Target | undefined, right: Target | undefined): boolean {
  return left !== undefined && left.provider.name === right?.provider.name && left.model === right.model;
}

/** The simulated model stands in for nobody unasked: its answers look like answers. */
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
