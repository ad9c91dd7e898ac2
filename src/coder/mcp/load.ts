// Loads the settings of MCP servers: from the project's `.mcp.json`, from the user's `mcp.json`, and from a flag. All have
// the shape that other agents use: {"mcpServers": {"name": {"command", "args", "env"} or {"url", "headers"}}}.

import { createHash } from 'node:crypto';
import { lstat, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { parseServers, type McpServers } from '../../mcp/settings.ts';

/** The servers of a project, before variables are replaced. */
export interface McpTable {
  readonly kind: 'mcp';
  /** The project. Absolute. */
  readonly folder: string;
  readonly file: string;
  /** SHA-256 of the bytes that were parsed, so that trust covers exactly this content. */
  readonly digest: string;
  readonly servers: McpServers;
}

const projectFile = '.mcp.json';
const largest = 1024 * 1024;

/** Undefined if the project has no servers. Throws `configuration` for a file that is unreadable or invalid. */
export async function loadProjectServers(folder: string): Promise<McpTable | undefined> {
  const file = join(folder, projectFile);
  const bytes = await readIfThere(file, projectFile);
  if (bytes === undefined) return undefined;
  const servers = parseText(bytes.toString('utf8'), projectFile);
  if (Object.keys(servers).length === 0) return undefined;
  return { kind: 'mcp', folder, file, digest: createHash('sha256').update(bytes).digest('hex'), servers };
}

/** The user's own servers; empty if there is no file. */
export async function loadUserServers(file: string): Promise<McpServers> {
  const bytes = await readIfThere(file, file);
  return bytes === undefined ? {} : parseText(bytes.toString('utf8'), file);
}

export interface NamedServerOptions {
  readonly cwd: string;
  /** The servers that the host named in `initialize`. */
  readonly hosted: readonly string[];
  readonly warn: (line: string) => void;
}

/** `value`: JSON, or the path of a file. Servers of type `sdk` live in the host's program, which connects them itself. */
export async function loadNamedServers(value: string, options: NamedServerOptions): Promise<McpServers> {
  const flag = '--mcp-config';
  if (value.trimStart().startsWith('{')) return parseText(withoutHostServers(value, options), flag);
  const bytes = await readIfThere(resolve(options.cwd, value), value);
  return bytes === undefined ? fail(`${flag}: ${value}: file not found`) : parseText(bytes.toString('utf8'), value);
}

function withoutHostServers(json: string, { hosted, warn }: NamedServerOptions): string {
  const value = parseJson(json, '--mcp-config');
  if (!isRecord(value) || !isRecord(value['mcpServers'])) return json;
  const kept = Object.entries(value['mcpServers']).filter(([name, settings]) => {
    const isHosted = isRecord(settings) && settings['type'] === 'sdk';
    if (isHosted && !hosted.includes(name))
      warn(`the MCP server "${name}" is not used: no host has named it in initialize.sdkMcpServers`);
    return !isHosted;
  });
  return JSON.stringify({ ...value, mcpServers: Object.fromEntries(kept) });
}

function parseText(text: string, shown: string): McpServers {
  const value = parseJson(text, shown);
  if (!isRecord(value) || !isRecord(value['mcpServers'])) {
    return fail(`${shown}: must be an object with "mcpServers": {"name": {"command": "…"}}`);
  }
  return parseServers(value['mcpServers'], shown);
}

function parseJson(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(`${shown}: is not JSON: ${(error as Error).message}`);
  }
}

async function readIfThere(path: string, shown: string): Promise<Buffer | undefined> {
  const failToRead = ({ code = '' }: NodeJS.ErrnoException) => fail(`${shown}: cannot be read (${code})`);
  // A dangling link counts as existing, because it must be an error.
  const link = await lstat(path).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' || error.code === 'ENOTDIR' ? undefined : failToRead(error),
  );
  if (link === undefined) return undefined;
  const status = await stat(path).catch(failToRead);
  // Reading a named pipe would wait for a writer.
  if (!status.isFile()) return fail(`${shown}: is not a file`);
  if (status.size > largest) return fail(`${shown}: is larger than ${largest} bytes`);
  return readFile(path).catch(failToRead);
}

function fail(message: string): never {
  throw new SimpleAgentsError('configuration', message, { field: 'mcpServers' });
}
