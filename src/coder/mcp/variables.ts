// Replaces `${NAME}` and `${NAME:-default}` in the settings of servers, as other agents do. A key of the model's provider is
// never inserted: a repository could send it anywhere.

import type { Environment } from '../../config/environment.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { isHttpServer, type McpServers, type McpServerSettings } from '../../mcp/settings.ts';

export interface Variables {
  readonly env: Environment;
  /** Values that must not be inserted. */
  readonly secrets: readonly string[];
}

/** Throws `configuration` if a variable is not set or must not be used. */
export function replaceVariables(servers: McpServers, variables: Variables): McpServers {
  return Object.fromEntries(
    Object.entries(servers).map(([name, settings]) => [name, replaceIn(settings, name, variables)]),
  );
}

function replaceIn(settings: McpServerSettings, name: string, variables: Variables): McpServerSettings {
  const text = (value: string): string => replaceText(value, name, variables);
  const texts = (values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value)]));
  if (isHttpServer(settings)) return { ...settings, url: text(settings.url), headers: texts(settings.headers) };
  const { command, args = [], env, cwd } = settings;
  return {
    ...settings,
    command: text(command),
    args: args.map(text),
    env: texts(env),
    ...(cwd === undefined ? {} : { cwd: text(cwd) }),
  };
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function replaceText(value: string, server: string, { env, secrets }: Variables): string {
  return value.replaceAll(reference, (_whole, name: string, fallback: string | undefined) => {
    const found = env[name] ?? fallback;
    if (found === undefined)
      return fail(server, `the variable ${name} is not set; set it, or write \${${name}:-default}`);
    if (secrets.some((secret) => secret.length >= 6 && found.includes(secret)))
      return fail(server, `the variable ${name} holds a key of the model's provider; use another variable`);
    return found;
  });
}

function fail(server: string, problem: string): never {
  throw new SimpleAgentsError('configuration', `MCP server "${server}": ${problem}`, { field: 'mcpServers' });
}
