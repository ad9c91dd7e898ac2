// Many clients that read nothing, with a gateway in its own process: the memory of each, and what the upstream could send.

import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { ask, openSocket } from './gateway-server.ts';
import { probe, retainedMemory, startGatewayProcess } from './gateway-process.ts';
import { startHttpServer } from './server.ts';
import { begin, role, say, start, write } from './upstream.ts';
import { until } from './until.ts';

const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;

export interface SlowReading {
  /** Bytes that the gateway holds for each reader, after garbage collection. */
  readonly memoryEach: number;
  /** Bytes that the upstream could write for each reader. */
  readonly writtenEach: number;
}

export interface SlowReaders {
  readonly count: number;
  readonly isSameWire: boolean;
  /** The length of the upstream's response to each, in bytes. */
  readonly length: number;
  readonly cwd: string;
}

const words = 'x'.repeat(8000);

export async function readSlowly(context: TestContext, readers: SlowReaders): Promise<SlowReading> {
  const { count, isSameWire, length, cwd } = readers;
  let written = 0;
  let open = 0;
  const upstream = await startHttpServer(context, (request, response) => {
    request.resume();
    open++;
    response.on('close', () => open--);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const isAnthropic = request.url === '/v1/messages';
    response.write(isAnthropic ? start + begin : role);
    const piece = isAnthropic ? write(words) : say(words);
    let sent = 0;
    const more = (): void => {
      while (!response.destroyed && sent < length) {
        sent += piece.length;
        written += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
    };
    more();
  });
  const { cli, url } = await startGatewayProcess(context, { cwd, upstream: upstream.origin, node: probe });
  // The first ones include permanent memory, mainly compiled code.
  const first = await Promise.all(Array.from({ length: 10 }, (_, index) => takeNothing(url, index, isSameWire)));
  await until(() => open === first.length);
  await untilStill(() => written);
  for (const socket of first) socket.destroy();
  await until(() => open === 0);
  const before = await retainedMemory(cli);
  written = 0;
  const sockets = await Promise.all(Array.from({ length: count }, (_, index) => takeNothing(url, index, isSameWire)));
  await until(() => open === count);
  await untilStill(() => written);
  const after = await retainedMemory(cli);
  const memory = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  const result = { memoryEach: memory / count, writtenEach: written / count };
  for (const socket of sockets) socket.destroy();
  await until(() => open === 0);
  return result;
}

async function takeNothing(url: string, index: number, isSameWire: boolean): Promise<Socket> {
  const [client, other] = index % 2 === 0 ? (['openai', 'anthropic'] as const) : (['anthropic', 'openai'] as const);
  const wire = isSameWire ? client : other;
  const socket = await openSocket(url);
  socket.on('error', () => undefined);
  socket.pause();
  const { body } = post(client, wire);
  socket.write(
    `POST ${paths[client]} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

function post(client: keyof typeof paths, wire: string) {
  const body = JSON.stringify(ask(`${wire}/m`, client, { stream: true }));
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
}

/** Resolves when the value has not changed for a while. */
async function untilStill(figure: () => number): Promise<void> {
  let before = -1;
  for (let still = 0; still < 4; still = figure() === before ? still + 1 : 0) {
    before = figure();
    await sleep(150);
  }
}
