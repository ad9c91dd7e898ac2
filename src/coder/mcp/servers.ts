// The MCP servers of a run, from all sources. The user's own servers take precedence over the repository's, because the
// permissions that the user gave belong to the name of a server.

import type { Environment } from '../../config/environment.ts';
import type { McpTools } from '../../mcp/mcp-tools.ts';
import type { McpRelay } from '../../mcp/relay-transport.ts';
import type { McpServers } from '../../mcp/settings.ts';
import { toServerName } from '../../mcp/tool-name.ts';
import { scrubEnvironment } from '../sandbox/environment.ts';
import { replaceVariables } from './variables.ts';

/** Servers by source, in the order of precedence. */
export interface ServerSource {
  /** For messages: `.mcp.json` */
  readonly shown: string;
  readonly servers: McpServers;
}

export interface ServerOptions {
  readonly sources: readonly ServerSource[];
  /** By name. They take precedence. */
  readonly relays: Readonly<Record<string, McpRelay>>;
  readonly root: string;
  readonly env: Environment;
  /** Keys of the model's provider, which servers never get. */
  readonly secrets: readonly string[];
  readonly warn: (line: string) => void;
}

/**
 * Resolves to the function that starts the servers, which cannot fail; undefined without servers, and nothing is loaded
 * then. Throws `configuration` for invalid settings.
 */
export async function prepareServers(options: ServerOptions): Promise<(() => McpTools) | undefined> {
  const { sources, relays, root, env, secrets, warn } = options;
  const named = mergeServers(sources, { taken: Object.keys(relays), warn });
  if (Object.keys(named).length + Object.keys(relays).length === 0) return undefined;
  const mcpServers = replaceVariables(named, { env, secrets });
  const { openMcpTools } = await import('../../mcp/mcp-tools.ts');
  const environment = scrubEnvironment(env, { secrets });
  return () => openMcpTools({ mcpServers, relays, environment, cwd: root, onNotice: warn });
}

interface Merging {
  /** The names of the host's servers. */
  readonly taken: readonly string[];
  readonly warn: (line: string) => void;
}

function mergeServers(sources: readonly ServerSource[], { taken: hosted, warn }: Merging): McpServers {
  const merged: Record<string, McpServers[string]> = {};
  const taken = new Map<string, string>(hosted.map((name) => [toServerName(name), 'the host']));
  for (const { shown, servers } of sources) {
    for (const [name, settings] of Object.entries(servers)) {
      const other = taken.get(toServerName(name));
      if (other !== undefined) {
        warn(`${shown}: the MCP server "${name}" is not used, because ${other} has one of that name`);
        continue;
      }
      taken.set(toServerName(name), shown);
      merged[name] = settings;
    }
  }
  return merged;
}
