// The problems found in a configuration file, and the one error that reports all of them.

import { SimpleAgentsError } from '../../core/error.ts';
import type { KeyPath, TomlLocator } from '../../core/toml-location.ts';
import { headingOf, pathOf, tables } from './table.ts';

export interface ConfigProblem {
  readonly path: KeyPath;
  /** The field as messages name it: `[timeouts] idle`. */
  readonly field: string;
  /** What is wrong and how to fix it. */
  readonly message: string;
}

/** A problem with a key of a known table. */
export function problemAt(path: KeyPath, message: string): ConfigProblem {
  const table = tableAt(path);
  if (table === undefined) return { path, field: path.join('.'), message };
  const [entry, ...rest] = path.slice(pathOf(table).length);
  const keys = table.form === 'single' ? [entry, ...rest] : rest;
  // The line number identifies the entry of a list better than an index would.
  const name = keys.filter((key) => typeof key === 'string').join('.');
  return { path, field: `${headingOf(table, String(entry))} ${name}`.trim(), message };
}

/** The innermost table that contains the path. */
function tableAt(path: KeyPath): (typeof tables)[number] | undefined {
  const holds = (table: (typeof tables)[number]): boolean => {
    const prefix = pathOf(table);
    return path.length > prefix.length && prefix.every((name, index) => name === path[index]);
  };
  return tables.filter(holds).toSorted((left, right) => pathOf(right).length - pathOf(left).length)[0];
}

/** One line for each problem, in the order of the file: `simple-agents.toml:12: [timeouts] idel: unknown key…`. */
export function toConfigurationError(
  file: string,
  problems: readonly ConfigProblem[],
  locate: TomlLocator,
): SimpleAgentsError {
  const placed = problems
    .map((problem) => ({ ...problem, line: locate(problem.path) }))
    .toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0));
  const lines = placed.map(({ line, field, message }) => `${positionOf(file, line)}: ${field}: ${message}`);
  const field = placed[0]?.field;
  return new SimpleAgentsError('configuration', lines.join('\n'), field === undefined ? {} : { field });
}

function positionOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}
