// The limits of a connection in the WebSocket mode: its age, silence, and a client that is gone.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';

import type { WebSocket } from 'ws';

import { BodyMemory } from '../http/body-memory.ts';
import type { Exchange } from '../http/exchange.ts';
import { WorkTurns } from '../http/work-turns.ts';
import type { ServerState } from '../server-state.ts';
import { defaultServerSettings } from '../settings.ts';
import { ResponseSocket, type SocketLimits } from './response-socket.ts';
import { MemoryResponseStore } from './response-store.ts';

class FakeSocket extends EventEmitter {
  readonly calls: string[] = [];
  answersPings = true;

  send(text: string): void {
    this.calls.push(`send ${text}`);
  }

  ping(): void {
    this.calls.push('ping');
    if (this.answersPings) this.emit('pong');
  }

  close(code: number): void {
    this.calls.push(`close ${code}`);
    this.emit('close');
  }

  terminate(): void {
    this.calls.push('terminate');
    this.emit('close');
  }
}

function ignore(): void {}

function connect(context: TestContext, limits: Partial<SocketLimits>): FakeSocket {
  const socket = new FakeSocket();
  const store = new MemoryResponseStore();
  const settings = defaultServerSettings;
  const state = { responses: store, connectionResponses: store, settings } as unknown as ServerState;
  const callbacks = { onTurnStart: ignore, onTurnEnd: ignore, onClose: ignore };
  const options = {
    state,
    bodies: { memory: new BodyMemory(1000), turns: new WorkTurns() },
    limits: { checkInterval: 5, ...limits },
    ...callbacks,
  };
  const handshake = { request: { socket: new PassThrough() }, bodyOwner: '' } as unknown as Exchange;
  const { closed } = new ResponseSocket(socket as unknown as WebSocket, handshake, options);
  context.after(async () => {
    socket.emit('close');
    await closed;
  });
  // The timer of the connection does not keep the process alive.
  const timer = setInterval(() => undefined, 1000);
  context.after(() => clearInterval(timer));
  return socket;
}

test('a connection that is too old gets an error, then closes', async (context) => {
  const socket = connect(context, { lifetime: 20 });
  await new Promise((resolve) => socket.once('close', resolve));
  const [error, close] = socket.calls.slice(-2);
  assert.match(error ?? '', /"code":"websocket_connection_limit_reached"/);
  assert.equal(close, 'close 1000');
});

test('a connection without messages closes, although the client is there', async (context) => {
  const socket = connect(context, { idle: 50 });
  await new Promise((resolve) => socket.once('close', resolve));
  assert.equal(socket.calls.at(-1), 'close 1000');
});

test('a client that does not answer pings is gone', async (context) => {
  const socket = connect(context, {});
  socket.answersPings = false;
  await new Promise((resolve) => socket.once('close', resolve));
  assert.deepEqual(socket.calls.slice(-2), ['ping', 'terminate']);
});
