// The directory for what the programs remember: input history, permissions, trust. Never inside a repository, because a
// repository could then grant itself permissions.

import { isAbsolute, join } from 'node:path';
import { readVariable, type Environment } from '../config/environment.ts';

/** Undefined if it cannot be determined. */
export function stateFolder(env: Environment, platform: string = process.platform): string | undefined {
  const folder = platform === 'win32' ? readVariable('LOCALAPPDATA', env) : xdgFolder(env);
  return folder === undefined ? undefined : join(folder, 'simple-agents');
}

function xdgFolder(env: Environment): string | undefined {
  const named = readVariable('XDG_STATE_HOME', env);
  // The XDG specification requires relative paths to be ignored.
  if (named !== undefined && isAbsolute(named)) return named;
  const home = readVariable('HOME', env);
  return home === undefined ? undefined : join(home, '.local', 'state');
}
