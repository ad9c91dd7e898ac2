// MCP tools of the test server, over a real process or over real HTTP, and a way to call one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import type { ToolAnswer } from '../../../src/agent/tool.ts';
import { textOf } from '../../../src/core/message.ts';
import { openMcpTools, type McpTools, type McpToolsOptions } from '../../../src/mcp/mcp-tools.ts';
import type { McpServerSettings } from '../../../src/mcp/settings.ts';
import { toolContext } from './tool-context.ts';

const program = join(import.meta.dirname, 'server.ts');

export const transports = ['stdio', 'http'] as const;
export type TransportName = (typeof transports)[number];

export interface ConnectedTools extends McpTools {
  readonly notices: readonly string[];
  call(tool: string, input?: object, options?: CallOptions): Promise<CallRecord>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onOutput?: () => void;
}

export interface CallRecord {
  readonly text: string;
  readonly answer: ToolAnswer;
  readonly output: string;
}

/** The settings of a server with this behaviour. An HTTP server runs until the test ends. */
export async function testServer(
  context: TestContext,
  behaviour: string,
  transport: TransportName = 'stdio',
): Promise<McpServerSettings> {
  if (transport === 'stdio') return { command: process.execPath, args: [program, behaviour] };
  const child = spawn(process.execPath, [program, behaviour, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url };
}

type Changes = Partial<McpToolsOptions> & { readonly settings?: Partial<McpServerSettings> };

/** Closes with the test. */
export async function connect(
  context: TestContext,
  behaviour: string,
  transport: TransportName = 'stdio',
  { settings, ...changes }: Changes = {},
): Promise<ConnectedTools> {
  const server = { ...(await testServer(context, behaviour, transport)), ...settings } as McpServerSettings;
  return connectTo(context, { mcpServers: { test: server }, ...changes });
}

export async function connectTo(context: TestContext, options: McpToolsOptions): Promise<ConnectedTools> {
  const notices: string[] = [];
  const mcp = openMcpTools({ onNotice: (notice) => notices.push(notice), ...options });
  context.after(() => mcp.close());
  await mcp.ready();
  return Object.create(mcp, {
    notices: { value: notices },
    call: { value: (...call: Parameters<ConnectedTools['call']>) => callTool(mcp, ...call) },
  }) as ConnectedTools;
}

async function callTool(
  mcp: McpTools,
  name: string,
  input: object = {},
  { signal = new AbortController().signal, onOutput }: CallOptions = {},
): Promise<CallRecord> {
  const tool = mcp.tools.find(({ definition }) => definition.name === `mcp__test__${name}`);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  let output = '';
  const context = toolContext((chunk) => {
    output += chunk;
    onOutput?.();
  }, signal);
  const answer = (await tool.run(tool.checkInput(input), context)) as ToolAnswer;
  return { answer, text: textOf(answer.content), output };
}
