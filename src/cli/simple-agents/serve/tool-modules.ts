// Loads the tools of `[chat]` from the modules in the configuration. A module is reloaded when its text changes; the modules
// that it imports are not. A problem is a `configuration` error that names the file and the fix.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

import { indexTools, type Tool } from '../../../agent/tool.ts';
import { displayPath } from '../../../config/load.ts';
import { SimpleAgentsError } from '../../../core/error.ts';
import { isRecord, omitUndefined } from '../../../core/json.ts';
import type { ChatUser, ToolSource } from '../../../server/server.ts';

/** `files` are absolute paths; messages show them relative to `cwd`. */
export async function loadToolModules(files: readonly string[], cwd: string): Promise<ToolSource> {
  const sources: ToolModule[] = [];
  for (const file of files) sources.push({ shown: displayPath(file, cwd), tools: await loadModule(file, cwd) });
  if (sources.some(({ tools }) => typeof tools === 'function')) return (user) => toolsOf(sources, user);
  return checkNames(sources.flatMap(({ tools }) => tools as readonly Tool[]));
}

interface ToolModule {
  readonly shown: string;
  readonly tools: ToolSource;
}

async function loadModule(file: string, cwd: string): Promise<ToolSource> {
  const shown = displayPath(file, cwd);
  const text = await readFile(file).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw moduleError(shown, code === 'ENOENT' ? 'file not found' : `cannot be read (${code ?? message})`);
  });
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const loaded = await importModule(`${pathToFileURL(file).href}?version=${version}`, shown);
  const tools = loaded['tools'];
  if (typeof tools === 'function') return tools as ToolSource;
  return checkList(tools, shown);
}

async function importModule(url: string, shown: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(url)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split('\n', 1);
    const hint = error instanceof SyntaxError && (await isCommonJs(url)) ? moduleHint : '';
    throw moduleError(shown, `cannot be loaded: ${reason}${hint}`, error);
  }
}

const moduleHint =
  '; its package.json has "type": "commonjs": change it to "module", or rename the file to .mts or .mjs';

/** Whether its package is CommonJS, as `npm init` sets it. */
async function isCommonJs(url: string): Promise<boolean> {
  const file = /\.[jt]s\?/.test(url) ? findPackageJSON(url) : undefined;
  const text = file === undefined ? '' : await readFile(file, 'utf8').catch(() => '');
  return /"type"\s*:\s*"commonjs"/.test(text);
}

/** Tools that depend on the user can be checked only for a given user. */
async function toolsOf(sources: readonly ToolModule[], user: ChatUser): Promise<readonly Tool[]> {
  const all: Tool[] = [];
  for (const { shown, tools } of sources) {
    all.push(...(typeof tools === 'function' ? checkList(await tools(user), shown) : tools));
  }
  return checkNames(all);
}

function checkNames(tools: readonly Tool[]): readonly Tool[] {
  indexTools(tools);
  return tools;
}

function checkList(value: unknown, shown: string): readonly Tool[] {
  const fix =
    'write export const tools = [defineTool({ … })], or a function that takes the user and returns such a list';
  if (value === undefined) throw moduleError(shown, `exports no "tools"; ${fix}`);
  if (!Array.isArray(value)) throw moduleError(shown, `its "tools" is not a list; ${fix}`);
  const odd = value.findIndex((item) => !isTool(item));
  if (odd !== -1) throw moduleError(shown, `tools[${odd}] was not created by defineTool`);
  return value;
}

function isTool(value: unknown): value is Tool {
  if (!isRecord(value) || !isRecord(value['definition'])) return false;
  return typeof value['run'] === 'function' && typeof value['checkInput'] === 'function';
}

function moduleError(shown: string, problem: string, cause?: unknown): SimpleAgentsError {
  const message = `[chat] tools: ${shown}: ${problem}`;
  return new SimpleAgentsError('configuration', message, omitUndefined({ field: 'chat.tools', cause }));
}
