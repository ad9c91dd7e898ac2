// Where our programs keep what they remember about the user's work: what was typed, allowed, trusted. Never in a
// repository, which could then speak for the user.

import { isAbsolute, join } from 'node:path';
import { readVariable, type Environment } from '../config/environment.ts';

/** Nothing when it cannot be told. */
export function stateFolder(env: Environment, platform: string = process.platform): string | undefined {
  const folder = platform === 'win32' ? readVariable('LOCALAPPDATA', env) : xdgFolder(env);
  return folder === undefined ? undefined : join(folder, 'simple-agents');
}

function xdgFolder(env: Environment): string | undefined {
  const named = readVariable('XDG_STATE_HOME', env);
  // The XDG specification has relative paths ignored.
  if (named !== undefined && isAbsolute(named)) return named;
  const home = readVariable('HOME', env);
  return home === undefined ? undefined : join(home, '.local', 'state');
}
