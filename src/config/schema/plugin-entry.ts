// Checks the entries that are for plugins: `settings` of a provider, `[guardrails.NAME]` and `[strategies.NAME]`.

import { didYouMean } from '../../core/suggest.ts';
import type { KeyPath } from '../../core/toml-location.ts';
import { checkSettings } from '../../gateway/plugin/plugin-settings.ts';
import type { PluginRegistry, Registered } from '../../gateway/plugin/registry.ts';
import type { GuardrailDefinition } from '../../gateway/plugin/definition.ts';
import type { FileDraft } from './file-values.ts';
import { problemAt, type ConfigProblem } from './problem.ts';

/** What a plugin adds, as far as its settings are concerned. */
type Added = Registered<Pick<GuardrailDefinition, 'settings'>>;

export function checkPluginSettings(draft: FileDraft, plugins: PluginRegistry): ConfigProblem[] {
  const names = draft.providers.map(({ name, type }) => name ?? type ?? '');
  return [
    ...draft.providers.flatMap(({ type = '', settings }, ordinal) =>
      checkOne(['providers', ordinal, 'settings'], plugins.providers.get(type), settings),
    ),
    // A guardrail applies without an entry, so that its required settings are reported.
    ...[...plugins.guardrails].flatMap(([name, added]) => {
      const { enabled = true, settings } = draft.guardrails[name] ?? {};
      return enabled ? checkOne(['guardrails', name, 'settings'], added, settings) : [];
    }),
    ...Object.entries(draft.strategies).flatMap(([name, { settings }]) =>
      checkOne(['strategies', name, 'settings'], plugins.strategies.get(name), settings),
    ),
    ...unknownEntries('guardrails', draft, plugins),
    ...unknownEntries('strategies', draft, plugins),
    ...Object.entries(draft.guardrails).flatMap(([name, { providers = [] }]) => {
      const unknown = providers.find((provider) => !names.includes(provider));
      if (unknown === undefined) return [];
      const fix = didYouMean(unknown, names) || '; add it to [[providers]]';
      return [problemAt(['guardrails', name, 'providers'], `unknown provider ${JSON.stringify(unknown)}${fix}`)];
    }),
  ];
}

function checkOne(path: KeyPath, added: Added | undefined, settings: object | undefined): ConfigProblem[] {
  if (added === undefined) return [];
  const checked = checkSettings(added.definition.settings, settings);
  if (!('problem' in checked)) return [];
  const { problem } = checked;
  return [problemAt([...path, ...problem.path], `${problem.message} (plugin ${added.plugin})`)];
}

function unknownEntries(
  table: 'guardrails' | 'strategies',
  draft: FileDraft,
  plugins: PluginRegistry,
): ConfigProblem[] {
  const known = [...plugins[table].keys()];
  return Object.keys(draft[table]).flatMap((name) => {
    if (known.includes(name)) return [];
    const all = known.length === 0 ? 'no plugin adds any' : `the plugins add ${known.join(', ')}`;
    return [problemAt([table, name], `no plugin adds this name${didYouMean(name, known) || `; ${all}`}`)];
  });
}
