// The rules of .gitignore files, of a folder and of the folders above it. The last matching rule wins, and deeper files come
// later. As in git, the content of an ignored folder is not visited, so a rule cannot include it again.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseWithoutBraces, type GlobPattern } from './glob-pattern.ts';

interface IgnoreRule {
  readonly pattern: GlobPattern;
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
}

export interface IgnoredEntry {
  /** Relative to the folder of the topmost rules, with "/" between names. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** The rules of a folder and of the folders above it. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([], '', undefined);
  readonly #rules: readonly IgnoreRule[];
  /** The folder that the rules' paths are relative to, followed by "/"; empty for the topmost folder. */
  readonly #prefix: string;
  readonly #above: IgnoreRules | undefined;

  private constructor(rules: readonly IgnoreRule[], prefix: string, above: IgnoreRules | undefined) {
    this.#rules = rules;
    this.#prefix = prefix;
    this.#above = above;
  }

  with(text: string, folder: string): IgnoreRules {
    return new IgnoreRules(text.split('\n').flatMap(parseRule), folder === '' ? '' : `${folder}/`, this);
  }

  ignores(entry: IgnoredEntry): boolean {
    const own = entry.path.slice(this.#prefix.length);
    const deciding = this.#rules.findLast(
      ({ pattern, isForFolders }) => (!isForFolders || entry.isFolder) && pattern.matches(own),
    );
    if (deciding !== undefined) return !deciding.isNegated;
    return this.#above?.ignores(entry) ?? false;
  }
}

/** Larger files are ignored. */
const longestFile = 256 * 1024;

export async function loadIgnoreRules(above: IgnoreRules, root: string, folder: string): Promise<IgnoreRules> {
  const text = await readFile(join(root, folder, '.gitignore'), 'utf8').catch(() => '');
  return text === '' || text.length > longestFile ? above : above.with(text, folder);
}

function parseRule(line: string): IgnoreRule[] {
  const trimmed = line.replace(/\r$/, '').replace(/(?<!\\)\s+$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return [];
  const isNegated = trimmed.startsWith('!');
  const written = isNegated ? trimmed.slice(1) : trimmed;
  const isForFolders = written.endsWith('/');
  const path = isForFolders ? written.slice(0, -1) : written;
  // A pattern without a slash matches at any depth.
  const anchored = path.includes('/') ? path.replace(/^\//, '') : `**/${path}`;
  return [{ pattern: parseWithoutBraces(anchored), isNegated, isForFolders }];
}
