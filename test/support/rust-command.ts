// The cargo command on the PATH, or where rustup installs it.

import { spawnSync } from 'node:child_process';
import { findCargo } from './native-library.ts';
import type { Part } from './requirement.ts';

/** Rust in this minor version or a newer one. */
export function rustPart(minor: number): Part {
  const { stdout } = spawnSync(findCargo() ?? 'cargo', ['--version'], { encoding: 'utf8' });
  const [, installed = '0'] = /cargo 1\.(\d+)/.exec(stdout ?? '') ?? [];
  const remedy = `install Rust 1.${minor} or newer, https://rustup.rs`;
  return { name: 'cargo', isPresent: Number(installed) >= minor, remedy };
}
