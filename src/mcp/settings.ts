// The settings of MCP servers, in the shape of `mcpServers` that other agents use in `.mcp.json`, and their checks. Users
// and repositories write them, so every problem names the field and the fix.

import { SimpleAgentsError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import { didYouMean } from '../core/suggest.ts';
import { toServerName } from './tool-name.ts';

interface CommonSettings {
  /** The time to start and to list the tools, in milliseconds. Default: 30,000. */
  readonly startTimeout?: number;
  /** The time of a call without progress, in milliseconds. Default: 120,000. */
  readonly timeout?: number;
}

/** A server that runs as a process and speaks on stdin and stdout. */
export interface StdioServerSettings extends CommonSettings {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the environment, which has no secrets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server that speaks streamable HTTP. */
export interface HttpServerSettings extends CommonSettings {
  readonly type?: 'http';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type McpServerSettings = StdioServerSettings | HttpServerSettings;

/** By the name of the server. */
export type McpServers = Readonly<Record<string, McpServerSettings>>;

export const defaultStartTimeout = 30_000;
export const defaultCallTimeout = 120_000;

/** Longer delays make `setTimeout` fire at once. */
const longestTimeout = 2 ** 31 - 1;

const stdioKeys = ['type', 'command', 'args', 'env', 'cwd', 'startTimeout', 'timeout'];
const httpKeys = ['type', 'url', 'headers', 'startTimeout', 'timeout'];
/** Of other agents; without a meaning here. */
const ignoredKeys = ['description', 'disabled', 'alwaysAllow', 'autoApprove'];

export function isHttpServer(settings: McpServerSettings): settings is HttpServerSettings {
  return 'url' in settings;
}

/** Throws `configuration` with all problems. `where` names the source in messages, such as the file. */
export function parseServers(value: unknown, where: string): McpServers {
  const problems: string[] = [];
  const servers: Record<string, McpServerSettings> = Object.create(null) as Record<string, McpServerSettings>;
  if (!isRecord(value)) return fail([`${where}: mcpServers: must be an object from server name to its settings`]);
  for (const [name, settings] of Object.entries(value)) {
    const check = new ServerCheck(`${where}: mcpServers.${name}`);
    const parsed = check.server(settings);
    problems.push(...check.problems);
    if (parsed !== undefined) servers[name] = parsed;
  }
  problems.push(...nameProblems(Object.keys(value), where));
  return problems.length === 0 ? servers : fail(problems);
}

function fail(problems: readonly string[]): never {
  throw new SimpleAgentsError('configuration', problems.join('\n'), { field: 'mcpServers' });
}

/** Names become a part of tool names, where two of them must stay different. */
function nameProblems(names: readonly string[], where: string): string[] {
  const seen = new Map<string, string>();
  return names.flatMap((name) => {
    const normal = toServerName(name);
    const other = seen.get(normal);
    seen.set(normal, name);
    if (normal === '') return [`${where}: mcpServers: the name ${JSON.stringify(name)} needs a letter or a digit`];
    if (other === undefined) return [];
    return [`${where}: mcpServers: "${other}" and "${name}" give the same tool names; rename one of them`];
  });
}

class ServerCheck {
  readonly problems: string[] = [];
  readonly #where: string;

  constructor(where: string) {
    this.#where = where;
  }

  server(value: unknown): McpServerSettings | undefined {
    if (!isRecord(value)) return this.#report('', 'must be an object with "command" or "url"');
    const type = value['type'] ?? ('url' in value ? 'http' : 'stdio');
    if (type === 'stdio') return this.#stdio(value);
    if (type === 'http' || type === 'streamable-http') return this.#http(value);
    const hint = type === 'sse' ? 'the transport sse is not supported; use "http" if the server offers it' : undefined;
    return this.#report('type', hint ?? 'must be "stdio" or "http"');
  }

  #stdio(value: Record<string, unknown>): StdioServerSettings | undefined {
    this.#keys(value, stdioKeys);
    const { command, args, env, cwd } = value;
    if (!isText(command))
      return this.#report('command', 'must be a non-empty string: the program that runs the server');
    if (args !== undefined && !(Array.isArray(args) && args.every((each) => typeof each === 'string')))
      return this.#report('args', 'must be a list of strings');
    if (cwd !== undefined && !isText(cwd)) return this.#report('cwd', 'must be a non-empty string: a folder');
    return {
      type: 'stdio',
      command,
      args: args ?? [],
      env: this.#texts('env', env),
      ...(cwd === undefined ? {} : { cwd }),
      ...this.#timeouts(value),
    };
  }

  #http(value: Record<string, unknown>): HttpServerSettings | undefined {
    this.#keys(value, httpKeys);
    const { url } = value;
    if (!isText(url)) return this.#report('url', 'must be a non-empty string: the address of the server');
    return { type: 'http', url, headers: this.#texts('headers', value['headers']), ...this.#timeouts(value) };
  }

  #timeouts(value: Record<string, unknown>): CommonSettings {
    const timeouts: { startTimeout?: number; timeout?: number } = {};
    for (const key of ['startTimeout', 'timeout'] as const) {
      const limit = value[key];
      if (limit === undefined) continue;
      if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= longestTimeout)
        timeouts[key] = Number(limit);
      else this.#report(key, `must be a whole number of milliseconds from 1 to ${longestTimeout}`);
    }
    return timeouts;
  }

  #texts(key: string, value: unknown = {}): Record<string, string> {
    if (isRecord(value) && Object.values(value).every((each) => typeof each === 'string'))
      return value as Record<string, string>;
    this.#report(key, 'must be an object from name to string');
    return {};
  }

  #keys(value: Record<string, unknown>, known: readonly string[]): void {
    for (const key of Object.keys(value)) {
      if (known.includes(key) || ignoredKeys.includes(key)) continue;
      this.#report(key, `unknown key${didYouMean(key, known) || `; the keys are ${known.join(', ')}`}`);
    }
  }

  #report(key: string, problem: string): undefined {
    this.problems.push(`${this.#where}${key === '' ? '' : `.${key}`}: ${problem}`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
}
