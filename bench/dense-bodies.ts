// Bodies that are small in bytes and large in work: the longest turn of the gateway's event loop, beside a small request.
// Options: `--size 31` (MB), `--values 100000` (at most; each body is as large as both allow), `--door chat`, `--shape messages`, `--heap 512` (MB of the gateway's heap), `--upstream anthropic`.
// `--check` exits with 1 if a turn takes more than 100 ms of CPU time or the gateway ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { WebSocket } from 'ws';

import { doors, toBody, toLargestBody, type Door, type Shape } from './dense/shapes.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '31' },
    values: { type: 'string', default: '100000' },
    door: { type: 'string' },
    shape: { type: 'string' },
    heap: { type: 'string', default: '512' },
    upstream: { type: 'string', default: 'openai' },
    check: { type: 'boolean', default: false },
  },
});
const bar = 100;
const size = Number(values.size) * 1024 * 1024;
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'simple-agents-dense-'));

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const message = { role: 'assistant', content: 'ok' };
const completion = { id: 'c', object: 'chat.completion', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
const anthropicMessage = {
  id: 'm', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 },
};
const vectors = { object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], usage };
const counted = { input_tokens: 1 };

/** Reads the body and answers with a small response of the wire. */
const upstream = createServer((request, response) => {
  const { url = '' } = request;
  const body = url.endsWith('/messages') ? anthropicMessage : url.endsWith('/embeddings') ? vectors : url.endsWith('/count_tokens') ? counted : completion;
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)));
});
upstream.listen(0, '127.0.0.1');
await once(upstream, 'listening');
const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
const isAnthropic = values.upstream === 'anthropic';
writeFileSync(
  join(folder, 'simple-agents.toml'),
  `[[providers]]
type = "${values.upstream}"
base_url = "${upstreamUrl}${isAnthropic ? '' : '/v1'}"
model = "m"
`,
);

const options = ['--import', join(root, 'bench/dense/turn-probe.mjs'), `--max-old-space-size=${values.heap}`];
const gateway = spawn(
  process.execPath,
  [...options, join(root, 'bin/simple-agents'), 'serve', '--port', '0', '--log-level', 'error'],
  { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, stdio: ['ignore', 'pipe', 'inherit'] },
);
process.on('exit', () => gateway.kill('SIGKILL'));
process.on('SIGTERM', () => process.exit(143));
let out = '';
let isOver = false;
gateway.on('exit', () => (isOver = true));
gateway.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
while (!/listening on \S+\n/.test(out)) await once(gateway.stdout, 'data');
const url = /listening on (\S+)/.exec(out)?.[1] ?? '';

interface Turn {
  readonly worst: number;
  readonly rss: number;
}

async function worstTurn(): Promise<Turn> {
  const before = out.length;
  gateway.kill('SIGUSR2');
  for (;;) {
    const printed = /^turn (\{.*\})$/m.exec(out.slice(before))?.[1];
    if (printed !== undefined) return JSON.parse(printed) as Turn;
    await once(gateway.stdout, 'data');
  }
}

function send({ path }: Door, body: Buffer): Promise<string> {
  if (path.startsWith('ws:')) return sendFrame(path.slice(3), body);
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = httpRequest(`${url}${path}`, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
      response.on('error', () => resolve('cut'));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

function sendFrame(path: string, body: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
    socket.on('open', () => socket.send(`{"type":"response.create",${body.toString().slice(1)}`));
    socket.on('message', (data: Buffer) => {
      const { type, error } = JSON.parse(data.toString()) as { type: string; error?: { message: string } };
      if (type !== 'error' && !/completed|failed|incomplete/.test(type)) return;
      socket.terminate();
      resolve(error === undefined ? type : 'error');
    });
    socket.on('close', (code) => resolve(`close ${code}`));
    socket.on('error', (error) => resolve(error.message));
  });
}

function print(door: string, shape: string, status: string, { worst, rss }: Turn): void {
  const figures = `${worst.toFixed(0).padStart(6)} ms ${(rss / 1e6).toFixed(0).padStart(6)} MB`;
  process.stdout.write(`${door.padEnd(22)}${shape.padEnd(52)}${status.padEnd(12)}${figures}\n`);
}

const chosen = doors.filter(({ name }) => values.door === undefined || name === values.door);
const first = doors[0] as Door;
const small: Shape = { name: 'small', piece: '', before: '{"model":"m","messages":[{"role":"user","content":"go', after: '"}]}' };
for (let round = 0; round < 20; round++) await send(first, toBody(small, 0));
await worstTurn();
await send(first, toBody(small, 0));
print('chat', 'a small request', '', await worstTurn());
let worst: Turn & { name: string } = { worst: 0, rss: 0, name: '' };
let count = 0;
for (const door of chosen) {
  for (const shape of door.shapes) {
    if (values.shape !== undefined && shape.name !== values.shape) continue;
    const body = toLargestBody(shape, { bytes: size, values: Number(values.values) });
    const status = await send(door, body);
    if (isOver) {
      process.stdout.write(`${door.name}, ${shape.name}: the gateway ended\n`);
      process.exit(1);
    }
    const turn = await worstTurn();
    count++;
    print(door.name, `${shape.name}, ${(body.length / 1e6).toFixed(1)} MB`, status, turn);
    if (turn.worst > worst.worst) worst = { ...turn, name: `${door.name}, ${shape.name}` };
  }
}
process.stdout.write(`\n${count} bodies; the longest turn took ${worst.worst.toFixed(0)} ms of CPU time: ${worst.name}\n`);
gateway.kill('SIGKILL');
upstream.closeAllConnections();
upstream.close();
rmSync(folder, { recursive: true });
if (values.check && worst.worst > bar) process.exitCode = 1;
