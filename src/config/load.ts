// Loads a configuration file and resolves it to settings.

import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { SimpleAgentsError } from '../core/error.ts';
import type { Timeouts } from '../providers/remote.ts';
import { processEnvironment, type Environment } from './environment.ts';
import { parsePluggedConfig, toTier } from './file-tier.ts';
import { configFileName, findConfigFile, isConfigNamed } from './find.ts';
import { pluginLoader } from './plugin-loader.ts';
import { resolveSettings, type Settings, type SettingsTier } from './settings.ts';

export interface LoadOptions {
  /** If left out, the default locations are searched; `false` uses no file. */
  readonly path?: string | false;
  readonly cwd?: string;
  readonly env?: Environment;
  /** Settings from the calling code. */
  readonly overrides?: SettingsTier;
  /** Timeouts to use in place of the defaults where nothing is configured. */
  readonly fallbackTimeouts?: Partial<Timeouts>;
  /**
   * `false`: the files of the working directory may come from others, as in a repository that an agent works in. A
   * configuration that is found there may not load plugins, because a plugin is code, and may not send requests to other
   * machines.
   */
  readonly trustsFolder?: boolean;
}

export async function loadSettings(options: LoadOptions = {}): Promise<Settings> {
  const { path, cwd = process.cwd(), env = processEnvironment(), overrides = {}, fallbackTimeouts = {} } = options;
  const { trustsFolder = true } = options;
  const search = { cwd, env, ...(typeof path === 'string' ? { explicit: path } : {}) };
  const file = path === false ? undefined : await findConfigFile(search);
  if (file === undefined) return resolveSettings({ env, code: overrides, fallbackTimeouts });
  const shown = displayPath(file, cwd);
  const isNamed = isConfigNamed(search);
  const isUntrusted = !trustsFolder && !isNamed && file === join(cwd, configFileName);
  const loadPlugins = pluginLoader(file, { mayLoad: !isUntrusted });
  const parsed = await parsePluggedConfig(await readConfigText(file, cwd), shown, {
    isNamed,
    isUntrusted,
    loadPlugins,
  });
  const tier = toTier(parsed, (name) => resolve(dirname(file), name));
  return { file, ...resolveSettings({ file: tier, env, code: overrides, fallbackTimeouts }) };
}

/** Reads the file's text; throws a `configuration` error with the reason if it cannot be read. */
export function readConfigText(file: string, cwd = process.cwd()): Promise<string> {
  return readText(file, displayPath(file, cwd));
}

const readFailures: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory, not a file',
  EACCES: 'permission denied; check the permissions of the file',
  EPERM: 'permission denied; check the permissions of the file',
  ENOENT: 'file not found',
};

async function readText(file: string, shown: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reason = readFailures[error.code ?? ''] ?? `cannot be read (${error.code ?? error.message})`;
    throw new SimpleAgentsError('configuration', `${shown}: ${reason}`, { cause: error });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SimpleAgentsError('configuration', `${shown}: is not UTF-8 text; save the file as UTF-8`);
  }
}

/** Relative if the file is below the working directory, else absolute. */
export function displayPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}
