// Applies the plugins of a file to its tier of settings: provider types, strategies and guardrails. The file is valid.

import { systemClock } from '../core/clock.ts';
import { SimpleAgentsError, toError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { Guardrail } from '../gateway/guardrail/guardrail.ts';
import { filterProblem, isTextFilter } from '../gateway/guardrail/text-filter.ts';
import type { GuardrailDefinition } from '../gateway/plugin/definition.ts';
import { checkSettings } from '../gateway/plugin/plugin-settings.ts';
import { pluginError, type PluginRegistry, type Registered } from '../gateway/plugin/registry.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';
import type { Strategy } from '../gateway/routing/strategy.ts';
import type { FileValues } from './schema/file-values.ts';
import type { SettingsTier } from './settings.ts';

export function withPlugins(tier: SettingsTier, values: FileValues, plugins: PluginRegistry): SettingsTier {
  const strategyOf = strategySource(values, plugins);
  const { router = {}, aliases = {}, providers = [] } = tier;
  return {
    ...tier,
    router: { ...router, ...strategyOf(router.strategy) },
    aliases: Object.fromEntries(
      Object.entries(aliases).map(([name, alias]) => [name, { ...alias, ...strategyOf(alias.strategy) }]),
    ),
    providers: providers.map((provider) => toAddedProvider(provider, plugins)),
    plugins,
    guardrails: [...plugins.guardrails.values()].flatMap((added) => toGuardrail(added, values)),
  };
}

/** Fills in what the definition of the type provides. */
function toAddedProvider(provider: ProviderSettings, plugins: PluginRegistry): ProviderSettings {
  const definition = plugins.providers.get(provider.type)?.definition;
  if (definition === undefined) return provider;
  const { keyEnv, baseUrl, defaultModel, settings: schema } = definition;
  const model = provider.models === undefined ? defaultModel : undefined;
  const settings = validSettings(schema, provider.settings as object | undefined);
  return { ...omitUndefined({ keyEnv, baseUrl, model }), ...provider, settings };
}

/** Creates each strategy of a plugin once, so that all routes share what it learns. */
function strategySource({ strategies }: FileValues, { strategies: added }: PluginRegistry) {
  const created = new Map<string, Strategy>();
  return (name: string | Strategy | undefined): { readonly strategy?: Strategy } => {
    const entry = typeof name === 'string' ? added.get(name) : undefined;
    if (typeof name !== 'string' || entry === undefined) return {};
    const { plugin, definition } = entry;
    const settings = validSettings(definition.settings, strategies[name]?.settings);
    const strategy =
      created.get(name) ?? create(plugin, `its strategy "${name}"`, () => definition.create(settings, systemClock));
    if (typeof strategy?.order !== 'function') {
      throw pluginError(plugin, `its strategy "${name}" has no function order(); return one from create()`);
    }
    created.set(name, strategy);
    return { strategy };
  };
}

function toGuardrail(
  { plugin, definition, version }: Registered<GuardrailDefinition>,
  values: FileValues,
): Guardrail[] {
  const { name } = definition;
  const { enabled = true, providers, settings: given } = values.guardrails[name] ?? {};
  if (!enabled) return [];
  const settings = validSettings(definition.settings, given);
  const filter = create(plugin, `its guardrail "${name}"`, () => definition.create(settings));
  if (!isTextFilter(filter)) {
    throw pluginError(plugin, `its guardrail "${name}" ${filterProblem}; return { window, find } from create()`);
  }
  return [omitUndefined({ name, filter, providers, identity: { plugin, version, settings } })];
}

function create<T>(plugin: string, subject: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof SimpleAgentsError) throw pluginError(plugin, `${subject}: ${error.message}`, { cause: error });
    throw pluginError(plugin, `${subject} cannot be created: ${toError(error).message}`, { cause: error });
  }
}

/** The file was checked before. */
function validSettings(schema: GuardrailDefinition['settings'], settings: object | undefined): unknown {
  const checked = checkSettings(schema, settings);
  return 'value' in checked ? checked.value : undefined;
}
