// A peer that a benchmark measures where somebody has installed it: said at once when it is not there, before minutes
// have been spent on the others.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

interface PeerOption {
  /** As it is typed: `--pi`. */
  readonly option: string;
  readonly folder: string | undefined;
  readonly name: string;
}

/** Ends the program when the folder does not hold the package. */
export function requirePeer({ option, folder, name }: PeerOption): void {
  if (folder === undefined || existsSync(join(folder, 'node_modules', name, 'package.json'))) return;
  console.error(`${option} ${folder}: ${name} is not installed there; npm install --prefix ${folder} ${name}`);
  process.exit(2);
}
