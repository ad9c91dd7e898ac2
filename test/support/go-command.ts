// The go command on the PATH.

import { spawnSync } from 'node:child_process';
import type { Part } from './requirement.ts';

const { stdout } = spawnSync('go', ['version'], { encoding: 'utf8' });
const [, installed = '0'] = /go1\.(\d+)/.exec(stdout ?? '') ?? [];

/** Go in this minor version or a newer one. */
export function goPart(minor: number): Part {
  const remedy = `install Go 1.${minor} or newer, https://go.dev/dl`;
  return { name: 'go', isPresent: Number(installed) >= minor, remedy };
}
