// What must fit together in a file: names that are unique, names that exist, fields that suit the provider's
// type. Reads a draft, so that these problems are told together with those of single fields.

import type { KeyPath } from './locate.ts';
import { at, type Problem } from './problem.ts';
import { fieldsOf, placedVendors, simulatedType, toCamelCase } from './schema.ts';
import { didYouMean } from '../core/suggest.ts';
import { areTargets } from './rules.ts';
import type { Draft } from './validate.ts';

type ProviderDraft = Draft['providers'][number];

export function checkConsistency(draft: Draft): Problem[] {
  return [
    ...repeatedNames(draft),
    ...draft.providers.flatMap((provider, ordinal) => misfits(provider, ['providers', ordinal])),
    ...unknownProviders(draft),
  ];
}

function nameOf({ name, type }: ProviderDraft): string | undefined {
  return name ?? type;
}

function repeatedNames({ providers }: Draft): Problem[] {
  const names = providers.map(nameOf);
  return names.flatMap((name, ordinal) => {
    if (name === undefined || names.indexOf(name) === ordinal) return [];
    const message = `${JSON.stringify(name)} is already the name of another provider; give this one a name of its own`;
    return [at(['providers', ordinal, 'name'], message)];
  });
}

/** Fields that would be ignored for this type of provider, and those it cannot do without. */
function misfits(provider: ProviderDraft, path: KeyPath): Problem[] {
  if (provider.type === undefined) return [];
  const kind = provider.type === simulatedType ? 'simulated' : 'remote';
  const problems: Problem[] = [];
  for (const { key, only } of fieldsOf('providers')) {
    if (only === undefined || only === kind || !(toCamelCase(key) in provider)) continue;
    problems.push(at([...path, key], `means nothing for type ${JSON.stringify(provider.type)}; remove it`));
  }
  const isPlaced = kind === 'simulated' || placedVendors.some(({ name }) => name === provider.type);
  if (!isPlaced && provider.baseUrl === undefined) {
    problems.push(at([...path, 'base_url'], `is required for type ${JSON.stringify(provider.type)}`));
  }
  return problems;
}

function unknownProviders(draft: Draft): Problem[] {
  const written = draft.providers.map(nameOf).filter((name) => name !== undefined);
  const known = [...written, ...placedVendors.map(({ name }) => name), simulatedType];
  const check = (name: string, path: KeyPath): Problem[] => {
    if (known.includes(name)) return [];
    const fix = didYouMean(name, known) || '; add it to [[providers]]';
    return [at(path, `there is no provider ${JSON.stringify(name)}${fix}`)];
  };
  const { defaultProvider } = draft.client;
  const targets = Object.entries(draft.models).flatMap(([alias, model]) =>
    (model.targets ?? []).map((target, ordinal) => ({ target, path: ['models', alias, 'targets', ordinal] })),
  );
  return [
    ...(defaultProvider === undefined ? [] : check(defaultProvider, ['client', 'default_provider'])),
    ...targets.flatMap(({ target, path }) => check(target.slice(0, target.indexOf('/')), path)),
    ...Object.keys(draft.prices).flatMap((target) => {
      const path = ['prices', target];
      return areTargets([target]) === undefined ? check(target.slice(0, target.indexOf('/')), path) : [unnamed(path)];
    }),
  ];
}

function unnamed(path: KeyPath): Problem {
  return at(path, 'say whose model it is, as in [prices."openai/gpt-4o"]');
}
