// Loads the plugins of a configuration file: modules on disk, resolved relative to the file. Each must register within a
// time limit. A problem is a `configuration` error that names the plugin and the fix. A plugin is loaded again when its
// file changes; the modules that it imports are not.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import { pluginApiVersion, type PluginModule } from '../gateway/plugin/definition.ts';
import { pluginError, PluginRegistry } from '../gateway/plugin/registry.ts';
import { resolvePackage } from './resolve-package.ts';

export interface PluginLoaderOptions {
  /** `false`: the file may come from others, so that a plugin in it is an error. */
  readonly mayLoad?: boolean;
  /** The time limit of each plugin, in milliseconds. */
  readonly timeout?: number;
}

const defaultTimeout = 10_000;

export type LoadPlugins = (plugins: readonly string[]) => Promise<PluginRegistry>;

/** `file`: the absolute path of the configuration file. */
export function pluginLoader(
  file: string,
  { mayLoad = true, timeout = defaultTimeout }: PluginLoaderOptions = {},
): LoadPlugins {
  return async (plugins) => {
    if (!mayLoad) throw untrustedError(plugins[0] ?? '');
    const registry = new PluginRegistry();
    for (const name of plugins) await withinTime(name, timeout, loadPlugin(name, file, registry));
    registry.checkProviders();
    return registry;
  };
}

function untrustedError(plugin: string): Error {
  const reason = 'this file is in the folder that the agent works in, and a plugin is code that could come from others';
  const fix =
    'to load it, name the file with --config or SIMPLE_AGENTS_CONFIG, or move the setting to your own configuration';
  return pluginError(plugin, `is not loaded: ${reason}; ${fix}`);
}

async function loadPlugin(name: string, configFile: string, registry: PluginRegistry): Promise<void> {
  const file = await locate(name, configFile);
  const text = await readFile(file).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw pluginError(
      name,
      code === 'ENOENT' ? `file not found: ${file}` : `cannot be read (${code ?? message}): ${file}`,
    );
  });
  registry.files.push(file);
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const module = checkModule(name, await importModule(name, `${pathToFileURL(file).href}?version=${version}`));
  let isOpen = true;
  try {
    await module.register(registry.apiFor({ name, version, isOpen: () => isOpen }));
  } catch (error) {
    if (isOwnError(error)) throw error;
    throw pluginError(name, `register() failed: ${firstLine(error)}; fix the plugin or remove it`, { cause: error });
  } finally {
    isOpen = false;
  }
}

/** A path is relative to the configuration file. Anything else is a package that is installed next to it or above. */
async function locate(name: string, configFile: string): Promise<string> {
  if (/^\.\.?[\\/]/.test(name) || isAbsolute(name)) return resolve(dirname(configFile), name);
  const file = await resolvePackage(name, configFile);
  if (file !== undefined) return file;
  const hint = /\.[cm]?[jt]s$/.test(name) ? `; for a file, write "./${name}"` : `; install it with npm install ${name}`;
  throw pluginError(name, `the package is not installed next to the configuration file or above it${hint}`);
}

async function importModule(name: string, url: string): Promise<unknown> {
  try {
    return await import(url);
  } catch (error) {
    throw pluginError(name, `cannot be loaded: ${firstLine(error)}`, { cause: error });
  }
}

/** The exports may be those of a CommonJS module, which are in `default`. */
function checkModule(name: string, module: unknown): PluginModule {
  const exported =
    isRecord(module) && !('register' in module) && isRecord(module['default']) ? module['default'] : module;
  const plugin = exported as PluginModule;
  const apiVersion: unknown = plugin.apiVersion;
  const form = `export const apiVersion = ${pluginApiVersion} and export function register(api)`;
  if (typeof plugin.register !== 'function') throw pluginError(name, `exports no function "register"; ${form}`);
  if (apiVersion === undefined) throw pluginError(name, `exports no "apiVersion"; ${form}`);
  if (apiVersion === pluginApiVersion) return plugin;
  const fix = 'install a version of the plugin that matches this version of SimpleAgents';
  throw pluginError(
    name,
    `was written for version ${JSON.stringify(apiVersion)} of the plugin API, but this is version ${pluginApiVersion}; ${fix}`,
  );
}

/** The timer keeps the process alive while a module waits for something that never comes. */
async function withinTime(name: string, limit: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const problem = `did not finish loading and register() within ${limit / 1000} s; do slow work at the first call instead`;
    late.reject(pluginError(name, problem));
  }, limit);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function isOwnError(error: unknown): boolean {
  return isRecord(error) && error['field'] === 'plugins';
}

function firstLine(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: toError(error).message };
  return `${name}: ${message}`.split('\n', 1)[0] ?? '';
}
