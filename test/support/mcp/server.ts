// An MCP server for tests, over stdio or HTTP: `node server.ts BEHAVIOUR [http]`. Over HTTP it prints its address. It ends
// with its standard input. Most behaviours are hostile or broken in one way.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { behaviours, type Message, type Reply } from './behaviours.ts';

const [, , name = 'plain', transport = 'stdio'] = process.argv;
const behave = behaviours[name];
if (behave === undefined) throw new Error(`unknown behaviour ${name}`);
process.stdin.on('end', () => process.exit(0));
if (transport === 'http') serveHttp(behave);
else serveStdio(behave);

function serveStdio(answer: (message: Message, reply: Reply) => void): void {
  const reply: Reply = {
    send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    raw: (text) => void process.stdout.write(text),
    die: () => {
      process.stderr.write('Traceback: out of cheese\n');
      process.exit(3);
    },
  };
  createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line) as Message, reply));
}

function serveHttp(answer: (message: Message, reply: Reply) => void): void {
  process.stdin.resume();
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    if (message.id === undefined) {
      answer(message, { send: () => undefined, raw: () => undefined, die: () => undefined });
      return void response.writeHead(202).end();
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answer(message, {
      send(sent) {
        if (response.writableEnded) return;
        response.write(`data: ${JSON.stringify(sent)}\n\n`);
        if (sent['id'] === message.id && 'jsonrpc' in sent) response.end();
      },
      raw: (text) => void response.write(`data: ${text}`),
      // The first bytes leave before the connection breaks.
      die: () => void response.write(': still here\n\n', () => response.destroy()),
    });
  }
}
