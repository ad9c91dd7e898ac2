// Checks that a peer to be measured is installed in the given folder, before a benchmark spends minutes on the others.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

interface PeerOption {
  /** The command-line option, for example `--pi`. */
  readonly option: string;
  readonly folder: string | undefined;
  /** The npm package. */
  readonly name: string;
}

/** Exits with 2 if a folder is given and the package is not installed there. */
export function requirePeer({ option, folder, name }: PeerOption): void {
  if (folder === undefined || existsSync(join(folder, 'node_modules', name, 'package.json'))) return;
  console.error(`${option} ${folder}: ${name} is not installed there. Run: npm install --prefix ${folder} ${name}`);
  process.exit(2);
}
