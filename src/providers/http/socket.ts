// The only file that opens connections to model providers: plain or through TLS, directly, through a proxy, or through a
// proxy's tunnel. Everyone's bytes are read into one piece of memory, which whoever is told of them must copy from.

import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { closedByServer, ConnectionFailure, notHttp } from './failure.ts';
import { HeadParser } from './head-parser.ts';
import type { Origin } from './place.ts';
import type { Address, Proxy } from './proxy.ts';

export type { Socket } from 'node:net';

/** Whose socket it will be. */
export interface SocketOwner {
  /** Is told of each socket on the way, so that it can end it at any moment. */
  watch(socket: Socket): void;
  /** Bytes have come. They are gone when this returns; false makes the server wait. */
  receive(bytes: Buffer, count: number): boolean;
}

/** With memory of its own for every read, 64 KiB of it, a thousand connections cost the time to make and clear it. */
const memory = Buffer.allocUnsafeSlow(64 * 1024);

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

export class Dialer {
  /** One for all: to make one is to read all certificates of the system. */
  #context: SecureContext | undefined;
  /** What a server gave to be recognised by: the next connection then needs no full handshake. */
  readonly #sessions = new WeakMap<Origin, Buffer>();

  /** Resolves when a request can be written. */
  async open(origin: Origin, owner: SocketOwner): Promise<Socket> {
    const { address, proxy, isTunnelled } = origin;
    if (proxy !== undefined && isTunnelled) return this.#openTunnel(origin, proxy, owner);
    const nearest = proxy?.address ?? address;
    const isPlain = !nearest.isSecure;
    const socket = isPlain ? connectPlain(nearest, owner) : this.#connectSecure(nearest, { origin, owner });
    owner.watch(socket);
    await happening(socket, isPlain ? 'connect' : 'secureConnect');
    return socket;
  }

  async #openTunnel(origin: Origin, proxy: Proxy, owner: SocketOwner): Promise<Socket> {
    const carrier = proxy.address.isSecure ? this.#connectSecure(proxy.address, {}) : connectPlain(proxy.address);
    owner.watch(carrier);
    await happening(carrier, proxy.address.isSecure ? 'secureConnect' : 'connect');
    await askForTunnel(carrier, origin, proxy);
    const socket = this.#connectSecure(origin.address, { origin, carrier });
    owner.watch(socket);
    socket.on('data', (bytes: Buffer) => {
      if (!owner.receive(bytes, bytes.length)) socket.pause();
    });
    await happening(socket, 'secureConnect');
    return socket;
  }

  #connectSecure({ hostname, port }: Address, { origin, owner, carrier }: SecureOptions): Socket {
    // Loaded now: it takes 15 ms. Not imported, for that asks for all it exports, among it every root certificate.
    const { connect, createSecureContext } = process.getBuiltinModule('node:tls');
    const { isIP } = process.getBuiltinModule('node:net');
    this.#context ??= createSecureContext();
    const session = origin === undefined ? undefined : this.#sessions.get(origin);
    const socket = connect({
      ...socketOptions,
      ...(carrier === undefined ? { host: hostname, port } : { socket: carrier }),
      ...(isIP(hostname) === 0 ? { servername: hostname } : { host: hostname }),
      ...(session === undefined ? {} : { session }),
      ...(owner === undefined ? {} : { onread: readingFor(owner) }),
      ALPNProtocols: ['http/1.1'],
      secureContext: this.#context,
    });
    if (origin !== undefined) socket.on('session', (fresh) => this.#sessions.set(origin, fresh));
    return socket;
  }
}

interface SecureOptions {
  /** Without one, nothing is remembered. */
  readonly origin?: Origin;
  /** Without one, bytes are events. */
  readonly owner?: SocketOwner;
  /** A connection to go through. */
  readonly carrier?: Socket;
}

function connectPlain({ hostname, port }: Address, owner?: SocketOwner): Socket {
  const { connect } = process.getBuiltinModule('node:net');
  const reading = owner === undefined ? {} : { onread: readingFor(owner) };
  return connect({ ...socketOptions, ...reading, host: hostname, port });
}

function readingFor(owner: SocketOwner) {
  return { buffer: memory, callback: (count: number): boolean => owner.receive(memory, count) };
}

async function askForTunnel(carrier: Socket, { address }: Origin, { authorization }: Proxy): Promise<void> {
  const name = address.hostname.includes(':') ? `[${address.hostname}]` : address.hostname;
  const target = `${name}:${address.port}`;
  const credentials = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`;
  carrier.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${credentials}\r\n`, 'latin1');
  const parser = new HeadParser();
  let status = 0;
  const read = (bytes: Buffer): void => {
    try {
      const position = parser.push(bytes, 0, bytes.length);
      if (parser.head === undefined) return;
      status = parser.head.status;
      if (isSuccess(status) && position < bytes.length) throw notHttp('the proxy speaks for the server');
      carrier.emit(answered);
    } catch (error) {
      carrier.destroy(error as Error);
    }
  };
  carrier.on('data', read);
  await happening(carrier, answered);
  carrier.off('data', read);
  if (isSuccess(status)) return;
  const failure = new ConnectionFailure('PROXY_REFUSED', `Proxy response (${status}) to the request for a tunnel`);
  carrier.destroy();
  throw failure;
}

const answered = 'tunnel-answered';

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Rejects when the socket fails or closes before. */
function happening(socket: Socket, event: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const close = (): void => reject(closedByServer());
  socket.once('error', reject).once('close', close).once(event, resolve);
  // Without a listener for them, errors would end the process.
  socket.on('error', ignore);
  return promise.finally(() => socket.off(event, resolve).off('close', close).off('error', reject));
}

function ignore(): void {}
