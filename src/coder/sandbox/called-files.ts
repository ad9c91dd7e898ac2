// Finds the files of a project that a shell script runs: `exec scripts/check.sh`, `. "$(dirname "$0")/common.sh"`. It splits
// words and does not interpret bash: names built at run time are not found, nor are programs started by other programs.

import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Words that run the word after them. */
const launchers =
  /^(exec|command|env|eval|time|nohup|if|then|else|elif|while|until|do|!|sh|bash|dash|zsh|ksh|source|\.|node|nodejs|deno|bun|tsx|run|python[\d.]*|ruby|perl|php)$/;

/** The words in command position, without variable assignments before them. */
export function calledWords(text: string): string[] {
  const words = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .flatMap((line) => line.split(/[;&|(){}`]/))
    .flatMap((segment) =>
      programWords(
        segment
          .split(/\s+/)
          .map(bareWord)
          .filter((word) => word !== ''),
      ),
    );
  return [...new Set(words)];
}

function bareWord(word: string): string {
  return word.replaceAll(/["']/g, '').replace(/^\$\w+(?=\/)/, '');
}

function programWords(words: readonly string[]): string[] {
  const found: string[] = [];
  for (const word of words) {
    if (/^\w+=/.test(word) || word.startsWith('-')) continue;
    found.push(word);
    if (!launchers.test(word.slice(word.lastIndexOf('/') + 1))) break;
  }
  return found;
}

export interface CallSearch {
  /** Git runs hooks here. Files elsewhere are ignored. */
  readonly top: string;
  /** The script's own folder: scripts refer to files next to them. */
  readonly folder: string;
}

/** The regular files of the project that the script runs, without installed packages. */
export async function findCalledFiles(text: string, { top, folder }: CallSearch): Promise<string[]> {
  const bases = new Set([top, folder, dirname(folder)]);
  const paths = calledWords(text).flatMap((word) =>
    [...bases].flatMap((base) => [resolve(base, word), join(base, word)]),
  );
  const inside = [...new Set(paths)].filter(
    (path) => path.startsWith(`${top}/`) && !path.includes('/node_modules/', top.length),
  );
  const areFiles = await Promise.all(
    inside.map((path) =>
      stat(path).then(
        (status) => status.isFile(),
        () => false,
      ),
    ),
  );
  return inside.filter((_, index) => areFiles[index]);
}

const largestHook = 64 * 1024;

/** The files that the hooks in a folder run, and recursively the files that those shell scripts run. */
export async function findHookCalls(hookFolder: string, top: string): Promise<string[]> {
  const names = await readdir(hookFolder).catch(() => []);
  const hooks = names.filter((name) => !name.endsWith('.sample')).map((name) => join(hookFolder, name));
  const known = new Set(hooks);
  for (const file of known) {
    const text = await readScript(file);
    if (!hooks.includes(file) && !isShell(file, text)) continue;
    for (const path of await findCalledFiles(text, { top, folder: dirname(file) })) known.add(path);
  }
  return [...known].slice(hooks.length);
}

/** Empty for a file that is not a script. */
async function readScript(file: string): Promise<string> {
  const status = await stat(file).catch(() => undefined);
  if (status?.isFile() !== true || status.size > largestHook) return '';
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.includes('\0') ? '' : text;
}

function isShell(file: string, text: string): boolean {
  return file.endsWith('.sh') || /^#!.*sh\b/.test(text);
}
