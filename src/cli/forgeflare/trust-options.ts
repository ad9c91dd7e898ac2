// What the flags say about the hooks, agents and MCP servers of a repository, and where the user's own are.

import { join } from 'node:path';
import { userConfigFolders } from '../../config/find.ts';
import type { AssembleOptions, McpOptions } from '../../coder/assemble.ts';
import { omitUndefined } from '../../core/json.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { RunFlags } from './flags.ts';

type TrustFlags = Pick<
  RunFlags,
  'hooks' | 'trustHooks' | 'agents' | 'trustAgents' | 'mcp' | 'trustMcp' | 'mcpConfig' | 'strictMcpConfig'
>;

export function trustOptionsOf(
  flags: TrustFlags,
  { env }: Pick<Terminal, 'env'>,
): Pick<AssembleOptions, 'hooks' | 'agents' | 'userAgentsFolder'> & { readonly mcp: McpOptions } {
  const [folder] = userConfigFolders(env);
  return {
    hooks: settingOf(flags.hooks, flags.trustHooks),
    agents: settingOf(flags.agents !== false, flags.trustAgents),
    mcp: mcpOptionsOf(flags, folder),
    ...omitUndefined({ userAgentsFolder: folder && join(folder, 'agents') }),
  };
}

function mcpOptionsOf(
  { mcp, trustMcp, mcpConfig, strictMcpConfig }: TrustFlags,
  folder: string | undefined,
): McpOptions {
  if (strictMcpConfig === true) return { project: 'off', named: mcpConfig };
  return { project: settingOf(mcp, trustMcp), named: mcpConfig, userFile: folder && join(folder, 'mcp.json') };
}

function settingOf(isOn: boolean, isTrusted: true | undefined): 'on' | 'off' | 'trust' {
  if (!isOn) return 'off';
  return isTrusted === true ? 'trust' : 'on';
}
