// Finds a peer that a benchmark measures if it is installed. Reports a missing peer immediately, before the other
// measurements run.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

interface PeerOption {
  /** The command-line flag: `--pi`. */
  readonly option: string;
  readonly folder: string | undefined;
  readonly name: string;
}

/** Ends the program if the folder does not contain the package. */
export function requirePeer({ option, folder, name }: PeerOption): void {
  if (folder === undefined || existsSync(join(folder, 'node_modules', name, 'package.json'))) return;
  console.error(`${option} ${folder}: ${name} is not installed there; npm install --prefix ${folder} ${name}`);
  process.exit(2);
}
