// An agent with the tools of an MCP server. The server is a program of its own, mcp/server.ts; in your project it is any
// program or address that speaks MCP.

import { join } from 'node:path';
import { createAgent, createClient, mcpTools, textOf } from '../src/index.ts';

const mcp = await mcpTools({
  mcpServers: {
    weather: { command: process.execPath, args: [join(import.meta.dirname, 'mcp/server.ts')] },
    // remote: { url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${process.env['TOKEN']}` } },
  },
});
for (const { name, status, tools } of mcp.servers) console.log(`${name}: ${status}, ${tools.length} tool`);

const client = createClient();
const agent = createAgent({ client, tools: () => mcp.tools });
for await (const event of agent.run('Call mcp__weather__forecast for Paris')) {
  if (event.type === 'tool-start') console.log(`→ ${event.name} ${JSON.stringify(event.input)}`);
  if (event.type === 'tool-end') console.log(`← ${textOf(event.result.content)}`);
  if (event.type === 'turn-end') console.log(event.text);
}
await mcp.close();
await client.close();
