// A small MCP server on stdin and stdout, without a library: one JSON message per line.

import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly city?: string } };
}

const city = { type: 'string', description: 'The name of the city' };
const forecast = {
  name: 'forecast',
  description: 'The weather forecast for a city',
  inputSchema: { type: 'object', properties: { city }, required: ['city'] },
  annotations: { readOnlyHint: true },
};

const answers: Readonly<Record<string, (message: Message) => object>> = {
  'initialize': () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [forecast] }),
  'tools/call': ({ params }) => ({
    content: [{ type: 'text', text: `21 °C and sunny in ${params?.arguments?.city}` }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  const { id, method } = message;
  if (id === undefined) continue;
  const result = answers[method]?.(message);
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
