// What the host learns about the session: the members of `system/init`, and the totals of a result.

import type { Coder } from '../../../coder/coder.ts';
import type { Environment } from '../../../config/environment.ts';
import type { JsonObject } from '../../../core/json.ts';
import { version } from '../../../core/version.ts';
import type { SessionTotals } from '../../../streamjson/turn-result.ts';
import { localCommands } from './local-commands.ts';
import type { HostMode } from './permission-rules.ts';

export function describeSession(coder: Coder, permissionMode: HostMode, env: Environment): JsonObject {
  return {
    cwd: coder.root,
    model: bareModel(coder),
    tools: [...coder.toolNames],
    mcp_servers: serversOf(coder),
    permissionMode,
    slash_commands: localCommands.map(({ name }) => name.slice(1)),
    apiKeySource: env['ANTHROPIC_API_KEY'] ? 'ANTHROPIC_API_KEY' : 'none',
    forgeflare_version: version,
    output_style: 'default',
    agents: coder.subagents.map(({ name }) => name),
    skills: [],
    plugins: [],
  };
}

const serverStates = { connecting: 'pending', connected: 'connected', failed: 'failed', closed: 'disabled' } as const;

export function serversOf({ mcpServers }: Coder): JsonObject[] {
  return mcpServers.map(({ name, status }) => ({ name, status: serverStates[status] }));
}

/** What the session has used, by model. */
export function totalsOf({ total, model }: Coder, maxOutputTokens: number): SessionTotals {
  return new Map(
    [...total.models].map(([name, { usage, cost }]) => [
      name,
      { usage, cost, contextWindow: model.gateway.contextWindowOf(name), maxOutputTokens },
    ]),
  );
}

/** Without its provider, as the provider names it. */
export function bareModel({ modelName }: Coder): string {
  return modelName.slice(modelName.indexOf('/') + 1);
}
