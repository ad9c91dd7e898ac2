// Real servers on 127.0.0.1 for tests of clients. They close with the test that started them.

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface TestServer {
  readonly port: number;
  readonly origin: string;
  /** The number of connections so far. */
  readonly connectionCount: () => number;
  /**
   * Resolves when no connection that sent a byte is open, and at least one has been. Node's `fetch` opens a spare one
   * after an abort.
   */
  readonly allClosed: () => Promise<void>;
}

export async function startHttpServer(context: TestContext, listener: RequestListener): Promise<TestServer> {
  return start(context, createHttpServer({ keepAliveTimeout: 60_000 }, listener));
}

/** `onSocket` writes to the socket. What the client sends is read and dropped unless `onSocket` listens. */
export async function startSocketServer(context: TestContext, onSocket: (socket: Socket) => void): Promise<TestServer> {
  return start(
    context,
    createSocketServer((socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      onSocket(socket);
    }),
  );
}

async function start(context: TestContext, server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket) => {
    count++;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      server.emit('gone');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    connectionCount: () => count,
    async allClosed() {
      if (count === 0) await once(server, 'connection');
      while ([...sockets].some(({ bytesRead }) => bytesRead > 0)) await once(server, 'gone');
    },
  };
}

/** A port on which nothing listens. */
export async function findFreePort(): Promise<number> {
  const server = createSocketServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export async function readRequest(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
