// `mcpTools`: the tools of MCP servers for an agent. Servers connect in parallel; one that fails is a notice and is tried
// again later.

import type { Tool } from '../agent/tool.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import type { Elicit } from './elicitation.ts';
import type { McpRelay } from './relay-transport.ts';
import { ServerLink, type McpServerState } from './server-link.ts';
import { parseServers, type McpServers } from './settings.ts';

export interface McpToolsOptions {
  /** By name, in the shape of `.mcp.json`. The tools of a server are named `mcp__NAME__TOOL`. */
  readonly mcpServers: McpServers;
  /** Further servers by name, inside the program that drives us. */
  readonly relays?: Readonly<Record<string, McpRelay>>;
  /** The environment of server processes. Default: the environment of this process without secrets. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of server processes. Default: the working folder. */
  readonly cwd?: string;
  /** Receives what went wrong with a server, such as its end or a tool that cannot be used. Default: a warning of Node. */
  readonly onNotice?: (notice: string) => void;
  /** Answers questions that servers ask the user. Without it, servers learn that they cannot ask. */
  readonly elicit?: Elicit;
  readonly clock?: Clock;
}

export interface McpTools {
  /** The tools of all servers now. Pass `() => mcp.tools` to an agent to follow changes. */
  readonly tools: readonly Tool[];
  readonly servers: readonly McpServerState[];
  /** Resolves when every server is connected or has failed. Never rejects. */
  ready(): Promise<void>;
  /** Lists the tools of servers again that said that they changed. Never rejects. */
  refresh(): Promise<void>;
  /** Disconnects, and ends the processes. */
  close(): Promise<void>;
}

/** Starts to connect. Throws `configuration` for invalid settings. */
export function openMcpTools(options: McpToolsOptions): McpTools {
  const links = createLinks(options);
  const connected = Promise.all(links.map((link) => link.connect()));
  return {
    get tools() {
      return links.flatMap((link) => link.tools);
    },
    get servers() {
      return links.map((link) => link.state);
    },
    ready: async () => void (await connected),
    refresh: async () => void (await Promise.all(links.map((link) => link.refresh()))),
    close: async () => void (await Promise.all(links.map((link) => link.close()))),
  };
}

function createLinks(options: McpToolsOptions): ServerLink[] {
  const { mcpServers, relays = {}, environment = {}, cwd, onNotice, elicit, clock } = options;
  const relayed = Object.entries(relays).map(([name, relay]) => [name, { relay }] as const);
  const servers = Object.entries(parseServers(mcpServers, 'mcpTools'));
  return [...relayed, ...servers].map(
    ([name, settings]) =>
      new ServerLink({
        name,
        settings,
        environment,
        cwd,
        elicit,
        clock: clock ?? systemClock,
        onNotice: onNotice ?? ((notice) => process.emitWarning(notice, 'McpWarning')),
      }),
  );
}
