// Checks across fields: names are unique, referenced names exist, fields suit the provider's type. Works on a draft, so
// that these problems are reported together with those of single fields.

import type { KeyPath } from '../../core/toml-location.ts';
import { problemAt, type ConfigProblem } from './problem.ts';
import { vendorNamed } from '../../providers/vendors.ts';
import { vendorsWithAddress, simulatedType } from './provider-type.ts';
import { toCamelCase, type FileDraft } from './file-values.ts';
import { fieldsOf } from './table.ts';
import { didYouMean } from '../../core/suggest.ts';
import { checkAliasPattern, checkExactName, checkTargets } from './rules.ts';
import { PluginRegistry } from '../../gateway/plugin/registry.ts';
import { checkPluginSettings } from './plugin-entry.ts';

type ProviderDraft = FileDraft['providers'][number];

export function checkConsistency(draft: FileDraft, plugins = new PluginRegistry()): ConfigProblem[] {
  return [
    ...repeatedNames(draft),
    ...draft.providers.flatMap((provider, ordinal) => unsuitableFields(provider, ['providers', ordinal], plugins)),
    ...checkPluginSettings(draft, plugins),
    ...unknownProviders(draft),
    ...unforwarded(draft),
    ...unevenWeights(draft),
    ...repeatedChains(draft),
    ...wrongPatterns(draft),
    ...patternNames(draft),
    ...repeatedKeys(draft),
    ...incompleteCertificates(draft),
  ];
}

/** A client certificate and its key must both be set. */
function incompleteCertificates({ network: { clientCertFile, clientKeyFile } }: FileDraft): ConfigProblem[] {
  if ((clientCertFile === undefined) === (clientKeyFile === undefined)) return [];
  const [given, missing] =
    clientKeyFile === undefined ? ['client_cert_file', 'client_key_file'] : ['client_key_file', 'client_cert_file'];
  return [problemAt(['network', given], `requires ${missing} as well`)];
}

function nameOf({ name, type }: ProviderDraft): string | undefined {
  return name ?? type;
}

function repeatedNames({ providers }: FileDraft): ConfigProblem[] {
  const names = providers.map(nameOf);
  return names.flatMap((name, ordinal) => {
    if (name === undefined || names.indexOf(name) === ordinal) return [];
    const message = `${JSON.stringify(name)} is already the name of another provider; choose a different name`;
    return [problemAt(['providers', ordinal, 'name'], message)];
  });
}

/** Fields that this type of provider would ignore, and required fields that are missing. */
function unsuitableFields(provider: ProviderDraft, path: KeyPath, plugins: PluginRegistry): ConfigProblem[] {
  if (provider.type === undefined) return [];
  const isAdded = plugins.providers.has(provider.type);
  const { cloud } = vendorNamed(provider.type) ?? plugins.providers.get(provider.type)?.definition ?? {};
  const kind = provider.type === simulatedType ? 'simulated' : 'remote';
  const problems: ConfigProblem[] = [];
  for (const { key, only } of fieldsOf('providers')) {
    const isSuitable = only === undefined || only === kind || only === cloud || (only === 'plugin' && isAdded);
    if (isSuitable || !(toCamelCase(key) in provider)) continue;
    problems.push(problemAt([...path, key], `has no effect for type ${JSON.stringify(provider.type)}; remove it`));
  }
  const hasAddress = kind === 'simulated' || isAdded || vendorsWithAddress.some(({ name }) => name === provider.type);
  if (!hasAddress && provider.baseUrl === undefined) {
    problems.push(problemAt([...path, 'base_url'], `is required for type ${JSON.stringify(provider.type)}`));
  }
  return problems;
}

function unknownProviders(draft: FileDraft): ConfigProblem[] {
  const configured = draft.providers.map(nameOf).filter((name) => name !== undefined);
  const known = [...configured, ...vendorsWithAddress.map(({ name }) => name), simulatedType];
  const check = (name: string, path: KeyPath): ConfigProblem[] => {
    if (known.includes(name)) return [];
    const fix = didYouMean(name, known) || '; add it to [[providers]]';
    return [problemAt(path, `unknown provider ${JSON.stringify(name)}${fix}`)];
  };
  const { defaultProvider } = draft.client;
  const { forwardProviders = [] } = draft.server;
  const targets = [
    ...Object.entries(draft.models).flatMap(([alias, model]) => targetsAt(['models', alias], model)),
    ...draft.chains.flatMap((chain, ordinal) => targetsAt(['chains', ordinal], chain)),
  ];
  const chained = draft.chains.flatMap(({ model = '' }, ordinal) =>
    model.includes('/') && !Object.hasOwn(draft.models, model) ? [{ model, path: ['chains', ordinal, 'model'] }] : [],
  );
  return [
    ...chained.flatMap(({ model, path }) => check(model.slice(0, model.indexOf('/')), path)),
    ...(defaultProvider === undefined ? [] : check(defaultProvider, ['client', 'default_provider'])),
    ...forwardProviders.flatMap((name, ordinal) => check(name, ['server', 'forward_providers', ordinal])),
    ...targets.flatMap(({ target, path }) => check(target.slice(0, target.indexOf('/')), path)),
    ...Object.keys(draft.prices).flatMap((target) => {
      const path = ['prices', target];
      return checkTargets([target]) === undefined
        ? check(target.slice(0, target.indexOf('/')), path)
        : [missingProvider(path)];
    }),
  ];
}

/** A provider without forwarded routes would never be chosen. */
function unforwarded({ providers, server: { forwardProviders = [] } }: FileDraft): ConfigProblem[] {
  return forwardProviders.flatMap((name, ordinal) => {
    const configured = providers.find((provider) => nameOf(provider) === name);
    const isUnknown = configured === undefined && vendorNamed(name) === undefined && name !== simulatedType;
    if (isUnknown || vendorNamed(configured?.type ?? name)?.routes !== undefined) return [];
    const problem = `${JSON.stringify(name)} has no routes to which requests are forwarded; remove it`;
    return [problemAt(['server', 'forward_providers', ordinal], problem)];
  });
}

function missingProvider(path: KeyPath): ConfigProblem {
  return problemAt(path, 'must include the provider, as in [prices."openai/gpt-4o"]');
}

function targetsAt(path: KeyPath, { targets = [] }: { readonly targets?: readonly string[] }) {
  return targets.map((target, ordinal) => ({ target, path: [...path, 'targets', ordinal] }));
}

function unevenWeights({ models }: FileDraft): ConfigProblem[] {
  return Object.entries(models).flatMap(([alias, { targets, weights }]) => {
    if (targets === undefined || weights === undefined || targets.length === weights.length) return [];
    const message = `must have one weight per target, but there are ${targets.length} targets and ${weights.length} weights`;
    return [problemAt(['models', alias, 'weights'], message)];
  });
}

function repeatedChains({ chains, client }: FileDraft): ConfigProblem[] {
  const models = chains.map(({ model = client.defaultModel ?? '' }) => model);
  return models.flatMap((model, ordinal) => {
    if (models.indexOf(model) === ordinal) return [];
    const name = model === '' ? 'the default model' : JSON.stringify(model);
    return [problemAt(['chains', ordinal, 'model'], `${name} already has a chain; put all targets into one`)];
  });
}

function wrongPatterns({ models }: FileDraft): ConfigProblem[] {
  return Object.entries(models).flatMap(([alias, { targets = [] }]) => {
    const problem = checkAliasPattern(alias, targets);
    return problem === undefined ? [] : [problemAt(['models', alias], problem)];
  });
}

function patternNames({ chains, client, providers, prices }: FileDraft): ConfigProblem[] {
  const named: { readonly name: string; readonly path: KeyPath }[] = [
    ...chains.flatMap((chain, ordinal) => [
      { name: chain.model ?? '', path: ['chains', ordinal, 'model'] },
      ...targetsAt(['chains', ordinal], chain).map(({ target, path }) => ({ name: target, path })),
    ]),
    ...providers.flatMap(({ model = '', models: listed = [] }, ordinal) => [
      { name: model, path: ['providers', ordinal, 'model'] },
      ...listed.map((name, index) => ({ name, path: ['providers', ordinal, 'models', index] })),
    ]),
    { name: client.defaultModel ?? '', path: ['client', 'default_model'] },
    ...Object.keys(prices).map((target) => ({ name: target, path: ['prices', target] })),
  ];
  return named.flatMap(({ name, path }) => {
    const problem = checkExactName(name);
    return problem === undefined ? [] : [problemAt(path, problem)];
  });
}

/** Two keys with one name could not be distinguished, and one hash with two names has no clear scopes. */
function repeatedKeys({ 'server.keys': keys }: FileDraft): ConfigProblem[] {
  const names = keys.map(({ name }) => name);
  const hashes = keys.map(({ hash }) => hash?.toLowerCase());
  return keys.flatMap(({ name }, ordinal) => {
    const path = ['server', 'keys', ordinal];
    const sameName = `${JSON.stringify(name)} is already the name of another key; choose a different name`;
    const sameHash = 'is also the hash of another key; keep one entry with the scopes of both';
    return [
      ...(isRepeated(names, ordinal) ? [problemAt([...path, 'name'], sameName)] : []),
      ...(isRepeated(hashes, ordinal) ? [problemAt([...path, 'hash'], sameHash)] : []),
    ];
  });
}

function isRepeated(all: readonly (string | undefined)[], ordinal: number): boolean {
  return all[ordinal] !== undefined && all.indexOf(all[ordinal]) !== ordinal;
}
