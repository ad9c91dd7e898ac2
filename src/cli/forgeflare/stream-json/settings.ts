// `--settings`: settings of the claude CLI, as JSON or in a file. We act on permissions and the model. Other settings are
// named in a note, except those that would take rights away: they are refused.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SimpleAgentsError } from '../../../core/error.ts';
import { isRecord, omitUndefined } from '../../../core/json.ts';
import { reasonOf } from '../../terminal/input.ts';
import { isHostMode, type HostMode } from './permission-rules.ts';

export interface HostSettings {
  readonly model?: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly permissionMode?: HostMode;
  /** The names of settings without effect. */
  readonly ignored: readonly string[];
}

/** Settings that restrict the agent in a way that we cannot. An empty value restricts nothing. */
const refused: readonly string[] = ['hooks', 'permissions.ask', 'permissions.disableBypassPermissionsMode', 'sandbox'];

export async function loadHostSettings(given: string, cwd: string, flag: string): Promise<HostSettings> {
  const settings = parse(given.trimStart().startsWith('{') ? given : await load(given, cwd, flag), flag);
  const { model, permissions = {}, ...others } = settings;
  if (!isRecord(permissions)) return invalid(flag, 'permissions: must be an object');
  const { allow, deny, defaultMode, ...rules } = permissions;
  const ignored = [...namesOf(others, ''), ...namesOf(rules, 'permissions.')];
  const wrong = ignored.find((name) => refused.includes(name));
  if (wrong !== undefined) return invalid(flag, `${wrong}: is not supported, and ignoring it would give more rights`);
  if (defaultMode !== undefined && !isHostMode(defaultMode))
    return invalid(flag, 'permissions.defaultMode: is unknown');
  return {
    allow: listOf(allow, `${flag}: permissions.allow`),
    deny: listOf(deny, `${flag}: permissions.deny`),
    ignored,
    ...omitUndefined({ model: typeof model === 'string' ? model : undefined, permissionMode: defaultMode }),
  };
}

async function load(path: string, cwd: string, flag: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    return invalid(flag, `${path}: ${reasonOf(error)}`);
  }
}

function parse(text: string, flag: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : invalid(flag, 'must be a JSON object');
  } catch (error) {
    if (error instanceof SimpleAgentsError) throw error;
    return invalid(flag, `is not JSON: ${(error as Error).message}`);
  }
}

/** The settings that have a value. */
function namesOf(settings: Record<string, unknown>, prefix: string): string[] {
  return Object.keys(settings)
    .filter((name) => !isEmpty(settings[name]))
    .map((name) => `${prefix}${name}`);
}

function listOf(value: unknown, name: string): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  return invalid(name, 'must be a list of texts');
}

function invalid(where: string, problem: string): never {
  throw new SimpleAgentsError('bad-request', `${where}: ${problem}`);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
