// The MCP servers that an editor names for a session. They are the user's own settings, so starting them needs no
// confirmation; each of their tools needs permission like any other.

import { SimpleAgentsError } from '../../../core/error.ts';
import { isRecord } from '../../../core/json.ts';
import { parseServers, type McpServers } from '../../../mcp/settings.ts';

/** ACP has a list with names and lists of variables, where `.mcp.json` has objects. */
export function toMcpServers(servers: readonly unknown[]): McpServers {
  const byName: Record<string, object> = {};
  for (const [index, server] of servers.entries()) {
    if (!isRecord(server) || typeof server['name'] !== 'string') return invalid(index, 'must be an object with a name');
    const { name, type, command, args, env, url, headers } = server;
    if (Object.hasOwn(byName, name)) return invalid(index, `the name ${JSON.stringify(name)} is used twice`);
    byName[name] =
      type === undefined || type === 'stdio'
        ? { type: 'stdio', command, args: args ?? [], env: toRecord(env) }
        : { type, url, headers: toRecord(headers) };
  }
  return parseServers(byName, 'mcpServers');
}

function toRecord(pairs: unknown): Record<string, unknown> {
  const list = Array.isArray(pairs) ? pairs.filter(isRecord) : [];
  return Object.fromEntries(list.map(({ name, value }) => [String(name), value]));
}

function invalid(index: number, problem: string): never {
  throw new SimpleAgentsError('bad-request', `mcpServers[${index}]: ${problem}`, { field: 'mcpServers' });
}
