// Reads git's settings files without starting git, because a `git` found in PATH could have been written by a command.
// Conditions of `includeIf` are ignored and every value of a setting counts, so the result may contain more than git would
// use, never less.

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export interface GitSetting {
  /** Section and key in lower case: `core.hookspath`, `filter.lfs.clean`. */
  readonly name: string;
  readonly value: string;
}

export interface GitSettings {
  readonly settings: readonly GitSetting[];
  /** Every file that was read or that an include names, whether or not it exists. */
  readonly files: readonly string[];
}

const mostFiles = 64;
const includeName = /^include(if\..*)?\.path$/;

/** Loads the files and their includes. Files that cannot be read have no settings. */
export async function loadGitSettings(files: readonly string[], home: string): Promise<GitSettings> {
  const known = new Set(files);
  const settings: GitSetting[] = [];
  for (const file of known) {
    const found = parseGitConfig(await readFile(file, 'utf8').catch(() => ''));
    settings.push(...found);
    for (const { name, value } of found) {
      if (includeName.test(name) && known.size < mostFiles) known.add(toPath(value, dirname(file), home));
    }
  }
  return { settings, files: [...known] };
}

/** The settings files that git reads for a user, in addition to those of a repository. */
export function userGitConfigs(home: string, environment: Readonly<Record<string, string | undefined>> = {}): string[] {
  const folder = environment['XDG_CONFIG_HOME'] || join(home, '.config');
  const named = [environment['GIT_CONFIG_GLOBAL'], environment['GIT_CONFIG_SYSTEM']].filter((path) => path);
  return [
    '/etc/gitconfig',
    join(folder, 'git/config'),
    join(home, '.gitconfig'),
    ...named.map((path) => resolve(path!)),
  ];
}

export function toPath(value: string, base: string, home: string): string {
  if (value === '~') return home;
  return value.startsWith('~/') ? join(home, value.slice(2)) : resolve(base, value);
}

export function parseGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  // A backslash at the end of a line continues it.
  for (const line of text.replaceAll('\r\n', '\n').replaceAll('\\\n', '').split('\n')) {
    const head = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (head !== null) section = toSection(head[1] ?? '', head[2]);
    const rest = head === null ? line : line.slice(head[0].length);
    const pair = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(rest);
    if (pair === null) continue;
    settings.push({ name: `${section}.${(pair[1] ?? '').toLowerCase()}`, value: toValue(pair[2] ?? 'true') });
  }
  return settings;
}

function toSection(name: string, part: string | undefined): string {
  const lower = name.toLowerCase();
  return part === undefined ? lower : `${lower}.${part.replaceAll(/\\(.)/g, '$1')}`;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Removes quotes, escapes, comments and surrounding white space. */
function toValue(written: string): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let at = 0; at < written.length; at += 1) {
    const character = written[at] ?? '';
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[#;]/.test(character)) break;
    else if (character === '\\') {
      at += 1;
      value += escapes[written[at] ?? ''] ?? written[at] ?? '';
    } else if (isQuoted || value !== '' || !/\s/.test(character)) value += character;
    if (isQuoted || !/\s/.test(character)) kept = value.length;
  }
  return value.slice(0, kept);
}
