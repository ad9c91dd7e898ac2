// The client that the conformance suite of MCP runs: connects to the server whose address is the last argument, and makes
// the calls that the scenario names, or else calls every tool once.

import type { Tool } from '../../../src/agent/tool.ts';
import { openMcpTools } from '../../../src/mcp/mcp-tools.ts';
import { sampleInput } from './sample-input.ts';
import { toolContext } from './tool-context.ts';

interface NamedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const url = process.argv.at(-1) ?? '';
const { toolCalls } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as { toolCalls?: NamedCall[] };
const mcp = openMcpTools({
  mcpServers: { suite: { url } },
  onNotice: (notice) => console.error(notice),
  elicit: async () => ({ action: 'accept', content: {} }),
});
await mcp.ready();
if (mcp.servers.some(({ status }) => status === 'failed')) process.exitCode = 1;
const calls = toolCalls ?? mcp.tools.map((tool) => ({ name: tool.definition.name, arguments: inputFor(tool) }));
for (const call of calls) await callTool(call);
await mcp.close();

async function callTool({ name, arguments: input }: NamedCall): Promise<void> {
  const tool = mcp.tools.find(
    ({ definition }) => definition.name === name || definition.name === `mcp__suite__${name}`,
  );
  try {
    console.error(name, JSON.stringify(await tool?.run(tool.checkInput(input), toolContext())).slice(0, 500));
  } catch (error) {
    console.error(name, String(error));
  }
}

/** A tool that takes a schema gets the one that the model would see of the first tool. */
function inputFor({ definition }: Tool): Record<string, unknown> {
  const input = sampleInput(definition.inputSchema);
  return 'schema' in input ? { ...input, schema: mcp.tools[0]?.definition.inputSchema } : input;
}
