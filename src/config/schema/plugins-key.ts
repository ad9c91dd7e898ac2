// The list of plugins: the only key of a configuration file outside of its tables.

import { SimpleAgentsError } from '../../core/error.ts';
import type { TomlLocator } from '../../core/toml-location.ts';
import { toConfigurationError } from './problem.ts';

export const pluginsKey = 'plugins';

export interface PluginSource {
  /** The document of the file. */
  readonly document: Readonly<Record<string, unknown>>;
  /** The file as messages name it. */
  readonly shown: string;
  readonly locate: TomlLocator;
}

/** The paths and packages in `plugins`. Throws a `configuration` error if it is not a list of them. */
export function readPluginList({ document, shown, locate }: PluginSource): readonly string[] {
  const value = document[pluginsKey] ?? [];
  const problem = checkPluginList(value);
  if (problem === undefined) return value as readonly string[];
  throw toConfigurationError(shown, [{ path: [pluginsKey], field: pluginsKey, message: problem }], locate);
}

function checkPluginList(value: unknown): string | undefined {
  const form = 'must be a list of files or packages, such as ["./my-provider.ts", "some-package"]';
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) return form;
  const empty = value.find((entry) => entry.trim() === '');
  if (empty !== undefined) return 'must not contain an empty name';
  const remote = value.find((entry: string) => /^[a-z][a-z0-9+.-]+:/i.test(entry) && !/^[a-z]:[\\/]/i.test(entry));
  if (remote !== undefined) {
    return `${JSON.stringify(remote)} is a URL, but plugins are loaded only from disk; name a file or an installed package`;
  }
  const repeated = value.find((entry, ordinal) => value.indexOf(entry) !== ordinal);
  return repeated === undefined ? undefined : `${JSON.stringify(repeated)} is listed twice; remove one`;
}

/** The line of the file in front of a plugin's error. */
export function atPluginList({ shown, locate }: PluginSource, error: unknown): unknown {
  if (!(error instanceof SimpleAgentsError)) return error;
  const line = locate([pluginsKey]);
  const position = line === undefined ? shown : `${shown}:${line}`;
  return new SimpleAgentsError(error.kind, `${position}: ${error.message}`, { field: pluginsKey, cause: error.cause });
}
