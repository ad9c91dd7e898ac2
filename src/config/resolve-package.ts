// Finds the main file of an installed package for `import`, from a file that names it. Node's own resolver for `import`
// cannot be called for another file.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isRecord } from '../core/json.ts';

/** The absolute path, or undefined if the package is not installed. */
export async function resolvePackage(name: string, from: string): Promise<string | undefined> {
  return (await resolveImport(name, from)) ?? resolveRequire(name, from);
}

/** The file in `exports` for `import`; undefined for packages without `exports` and for paths inside a package. */
async function resolveImport(name: string, from: string): Promise<string | undefined> {
  const manifest = findManifest(name, from);
  if (manifest === undefined) return undefined;
  const { exports } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly exports?: unknown };
  const target = targetOf(isRecord(exports) && '.' in exports ? exports['.'] : exports);
  return target === undefined ? undefined : join(dirname(manifest), target);
}

/** In the nearest `node_modules` that has the package. */
function findManifest(name: string, from: string): string | undefined {
  if (!/^(?:@[^/]+\/)?[^/]+$/.test(name)) return undefined;
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) return manifest;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The first condition that applies, in the order of the package. */
function targetOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isRecord(entry)) return undefined;
  for (const [condition, value] of Object.entries(entry)) {
    const target = ['node', 'import', 'default'].includes(condition) ? targetOf(value) : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}

function resolveRequire(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
