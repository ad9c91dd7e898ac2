// Finds the configuration file: the explicit path, else SIMPLE_AGENTS_CONFIG, else the working directory, else the user's
// configuration directory. A file named explicitly or by the variable must exist.

import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { SimpleAgentsError } from '../core/error.ts';
import { processEnvironment, readVariable, type Environment } from './environment.ts';

export interface FindOptions {
  readonly explicit?: string;
  readonly cwd?: string;
  readonly env?: Environment;
  readonly platform?: NodeJS.Platform;
}

const pathVariable = 'SIMPLE_AGENTS_CONFIG';

export const configFileName = 'simple-agents.toml';

/** A path where the file may be. */
export interface ConfigCandidate {
  readonly path: string;
  /** The path as the user wrote it, in an argument or a variable; undefined for the default locations. */
  readonly named?: string;
  readonly variable?: string;
}

/** The paths to search, in order. A file that the user named is the only candidate. */
export function configCandidates(options: FindOptions = {}): ConfigCandidate[] {
  const { explicit, cwd = process.cwd(), env = processEnvironment(), platform = process.platform } = options;
  if (explicit !== undefined) return [{ path: resolve(cwd, explicit), named: explicit }];
  const named = readVariable(pathVariable, env);
  if (named !== undefined) return [{ path: resolve(cwd, named), named, variable: pathVariable }];
  return [join(cwd, configFileName), ...userFiles(env, platform)].map((path) => ({ path }));
}

/** Whether the user named the file, by an argument or by a variable. */
export function isConfigNamed(options: FindOptions = {}): boolean {
  return configCandidates(options)[0]?.named !== undefined;
}

/** The absolute path, or undefined if there is no file. Throws a `configuration` error if a named file is missing. */
export async function findConfigFile(options: FindOptions = {}): Promise<string | undefined> {
  for (const { path, named, variable } of configCandidates(options)) {
    if (await exists(path)) return path;
    if (named === undefined) continue;
    const source = variable === undefined ? '' : ` (set by ${variable})`;
    throw new SimpleAgentsError('configuration', `${named}: file not found${source}`);
  }
  return undefined;
}

function userFiles(env: Environment, platform: NodeJS.Platform): string[] {
  return userConfigFolders(env, platform).map((folder) => join(folder, 'config.toml'));
}

/** The user's folders for settings, in the order in which they are searched. */
export function userConfigFolders(env: Environment, platform: NodeJS.Platform = process.platform): string[] {
  const folders = platform === 'win32' ? [readVariable('APPDATA', env)] : userFolders(env, platform);
  return folders.filter((folder) => folder !== undefined).map((folder) => join(folder, 'simple-agents'));
}

function userFolders(env: Environment, platform: NodeJS.Platform): (string | undefined)[] {
  const home = readVariable('HOME', env);
  const under = (...names: string[]) => (home === undefined ? undefined : join(home, ...names));
  const configured = readVariable('XDG_CONFIG_HOME', env);
  // The XDG specification requires relative paths to be ignored.
  const first = configured !== undefined && isAbsolute(configured) ? configured : under('.config');
  return platform === 'darwin' ? [first, under('Library', 'Application Support')] : [first];
}

/** A file that exists but is not accessible counts as existing; reading it reports the reason. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
