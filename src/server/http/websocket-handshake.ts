// Accepts a WebSocket connection. The package is loaded for the first one.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { WebSocket } from 'ws';

export interface HandshakeOptions {
  readonly socket: Socket;
  /** What the client sent after its request. */
  readonly head: Buffer;
  /** The size limit of a message, in bytes. */
  readonly maxPayload: number;
}

export type Handshake = (
  request: IncomingMessage,
  options: HandshakeOptions,
  onAccept: (socket: WebSocket) => void,
) => void;

export async function loadHandshake(): Promise<Handshake> {
  const { WebSocketServer } = await import('ws');
  return (request, { socket, head, maxPayload }, onAccept) => {
    // Compression would keep a window in memory for each connection.
    const common = { noServer: true, clientTracking: false, perMessageDeflate: false } as const;
    // A subprotocol that a client offers has no meaning here.
    const server = new WebSocketServer({ ...common, maxPayload, handleProtocols: () => false });
    server.handleUpgrade(request, socket, head, onAccept);
  };
}
