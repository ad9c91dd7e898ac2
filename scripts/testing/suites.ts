// The test suites. Every test file is in exactly one of `full`, `clients` and `live`, by its folder, so that none can be
// forgotten; `quick` is `full` without the slow files. Files that are in both try fewer inputs in `quick`.

import { globSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export interface Suite {
  readonly contains: (file: string) => boolean;
  /** The time limit, for a slow machine. The full suite also builds the native library, once. */
  readonly minutes: number;
}

export const suites: Readonly<Record<string, Suite>> = {
  quick: { contains: (file) => !isIn('full', file) && !isApart(file), minutes: 15 },
  full: { contains: (file) => !isApart(file), minutes: 60 },
  clients: { contains: (file) => isIn('outside', file), minutes: 60 },
  live: { contains: (file) => isIn('live', file), minutes: 10 },
};

/** Folders with code that is not ours. */
const foreign = ['**/node_modules/**', 'dist/**', '.git/**'];

/** The test files of a checkout that match one of the patterns, as paths relative to it. */
export function findTestFiles(patterns: readonly string[] = ['**/*.test.ts']): string[] {
  return globSync(patterns, { cwd: root, exclude: foreign }).toSorted();
}

/** What needs keys, or takes long to install. */
function isApart(file: string): boolean {
  return isIn('live', file) || isIn('outside', file);
}

function isIn(folder: string, file: string): boolean {
  return file.startsWith(`test/${folder}/`);
}
