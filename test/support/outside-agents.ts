// Programs of others that drive our agents, or that our agents drive: the clients of ACP and stream-json, the claude CLI
// and the MCP suites. `tools/agents/` pins them. The first test that uses one installs them (420 MB).

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../scripts/lock.mjs';
import { installedExtent, installPackages } from '../../scripts/npm-packages.mjs';

/** Returns the folder `node_modules` of the installed programs. */
export function outsideAgents(): Promise<string> {
  return installedTools('agents');
}

/** Installs the packages of a folder in `tools/`, if they are not installed, and returns their `node_modules`. */
export async function installedTools(name: string): Promise<string> {
  const folder = join(import.meta.dirname, '../../tools', name);
  if (installedExtent(folder) === undefined) {
    await withLock(join(folder, '.setup'), async () => {
      if (installedExtent(folder) === undefined) await installPackages(folder, 'run');
    });
  }
  return join(folder, 'node_modules');
}

/** The path of a program, such as `acpx`. */
export async function outsideProgram(name: string): Promise<string> {
  const path = join(await outsideAgents(), '.bin', name);
  if (!existsSync(path)) throw new Error(`${name} is not a program of tools/agents/package.json.`);
  return path;
}
