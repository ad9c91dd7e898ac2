// Connects to a server that ignores the end of its input and has a child of its own, and stays. Its argument marks the
// processes of the server.

import { join } from 'node:path';
import { openMcpTools } from '../../../src/mcp/mcp-tools.ts';

const marker = process.argv[2] ?? '';
const server = join(import.meta.dirname, 'server.ts');
const script = `trap '' TERM; sh -c 'sleep 3600; exit 0' ${marker} & '${process.execPath}' '${server}' plain stdio ${marker}; sleep 3600`;
const mcp = openMcpTools({
  mcpServers: { test: { command: 'sh', args: ['-c', script, marker] } },
  environment: { PATH: process.env['PATH'] ?? '' },
});
await mcp.ready();
console.log(mcp.servers[0]?.status);
setInterval(() => undefined, 1000);
