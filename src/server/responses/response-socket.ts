// A connection in the WebSocket mode of the Responses wire: `GET /v1/responses` with an upgrade. Each message of the client
// is `response.create` with the body of a request, and gets the events of its response, one in each frame. Invariants:
//   1. One response is in progress at a time. Further messages wait, up to a limit.
//   2. A turn ends when the client leaves, and its call is cancelled.
//   3. A connection that has to end (shutdown, a removed key, its age) finishes the response in progress.

import type { WebSocket } from 'ws';

import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { checkReferences } from '../account/shared-account.ts';
import type { BodyShare } from '../http/body-memory.ts';
import type { Exchange } from '../http/exchange.ts';
import { HttpError, throwHttpError, toHttpError } from '../http/http-error.ts';
import { JsonBody, type BodyResources } from '../http/json-body.ts';
import { beginResponse, createResponse } from '../routes/responses.ts';
import type { ServerState } from '../server-state.ts';
import { ConnectionMemory } from './connection-memory.ts';
import { MessageIntake } from './message-intake.ts';
import { ownerOf, responsesOf } from './response-owner.ts';
import { errorEvent, ResponseTurn } from './response-turn.ts';

export interface SocketLimits {
  /** Milliseconds between two checks whether the client is still there. */
  readonly checkInterval: number;
  /** Milliseconds without a message or a response. */
  readonly idle: number;
  /** Milliseconds that a connection may last. */
  readonly lifetime: number;
  /** Messages that may wait for the response in progress. */
  readonly waiting: number;
  /** Milliseconds until a connection that was refused is cut, if the client does not close it. */
  readonly linger: number;
}

const usualLimits: SocketLimits = {
  checkInterval: 30_000,
  idle: 900_000,
  lifetime: 3_600_000,
  waiting: 16,
  linger: 2000,
};

export interface ResponseSocketOptions {
  readonly state: ServerState;
  readonly bodies: BodyResources;
  readonly onTurnStart: (turn: ResponseTurn) => void;
  readonly onTurnEnd: (turn: ResponseTurn) => void;
  readonly onClose: (socket: ResponseSocket) => void;
  readonly limits?: Partial<SocketLimits>;
}

interface Message {
  readonly bytes: Buffer;
  readonly body: JsonBody;
  readonly share: BodyShare;
}

/** Close codes of RFC 6455. */
const closeCodes = { normal: 1000, goingAway: 1001, binary: 1003, refused: 1008, later: 1013 };

interface Ending {
  readonly code: number;
  readonly reason: string;
  /** Sent as an event before the connection closes. */
  readonly error?: HttpError;
}

const refusals: Readonly<Record<'no-room' | 'too-slow', Ending>> = {
  'no-room': {
    code: closeCodes.later,
    reason: 'the memory for request bodies is in use by other requests; try again later',
  },
  'too-slow': { code: closeCodes.refused, reason: 'the message took too long to arrive' },
};

export class ResponseSocket {
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #handshake: Exchange;
  readonly #options: ResponseSocketOptions;
  readonly #limits: SocketLimits;
  readonly #memory: ConnectionMemory;
  readonly #intake: MessageIntake;
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;
  #waiting: Message[] = [];
  #turn: ResponseTurn | undefined;
  /** When the last message arrived, or the last response ended. */
  #lastActive = performance.now();
  #isAlive = true;
  #ending: Ending | undefined;

  constructor(socket: WebSocket, handshake: Exchange, options: ResponseSocketOptions) {
    this.#socket = socket;
    this.#handshake = handshake;
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    const { state } = options;
    this.#memory = new ConnectionMemory(
      responsesOf(handshake, state),
      state.connectionResponses.of(ownerOf(handshake), handshake.id),
    );
    this.#intake = new MessageIntake(handshake.request.socket, {
      share: options.bodies.memory.open(handshake.bodyOwner),
      timeout: state.settings.requestTimeout,
      onRefuse: (reason) => this.#refuse(refusals[reason]),
    });
    this.#timer = setInterval(() => this.#check(), this.#limits.checkInterval).unref();
    socket.on('message', (data: Buffer, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => (this.#isAlive = true));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on('close', () => {
      this.#onClose();
      resolve();
    });
    // A malformed frame. The library closes the connection with the code that the protocol has for it.
    socket.on('error', () => undefined);
  }

  /** For a server that shuts down. */
  close(): void {
    this.#end({ code: closeCodes.goingAway, reason: 'the gateway is shutting down' });
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Ends the connection if its key was removed. */
  checkKey(): void {
    const found = this.#options.state.authentication.keys.check(this.#handshake.request.headers);
    const isValid = found === 'open' || (typeof found === 'object' && found.scopes.includes('call'));
    if (!isValid) this.#end({ code: closeCodes.refused, reason: 'the key is no longer valid' });
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#lastActive = performance.now();
    this.#isAlive = true;
    this.#intake.finish(data.length);
    if (this.#ending !== undefined) return;
    if (isBinary) return this.#socket.close(closeCodes.binary, 'messages must be text');
    if (this.#waiting.length >= this.#limits.waiting) {
      return this.#socket.close(closeCodes.refused, 'too many messages are waiting for the response in progress');
    }
    const { bodies, state } = this.#options;
    const { bodyOwner: owner } = this.#handshake;
    const share = bodies.memory.open(owner);
    const body = new JsonBody({ ...bodies, limits: state.settings, share, owner });
    try {
      body.take(data.length);
    } catch (error) {
      share.release();
      return this.#socket.close(closeCodes.later, toHttpError(error).message);
    }
    this.#waiting.push({ bytes: data, body, share });
    if (this.#turn === undefined) void this.#takeWaiting();
  }

  async #takeWaiting(): Promise<void> {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      await this.#take(message);
    }
    if (this.#ending !== undefined) this.#finish(this.#ending);
  }

  async #take({ bytes, body: message, share }: Message): Promise<void> {
    const { state, onTurnStart, onTurnEnd } = this.#options;
    const turn = new ResponseTurn(this.#socket, this.#handshake, share);
    this.#turn = turn;
    onTurnStart(turn);
    let previousId: unknown;
    try {
      const { value, pace } = await message.read(bytes);
      turn.pace = pace;
      const body = toRequestBody(value);
      checkReferences(turn, state, body, createResponse.verified);
      previousId = body['previous_response_id'];
      await beginResponse(turn, state, body, this.#memory);
    } catch (error) {
      if (!turn.hasClientLeft) state.logFailure(turn, error);
      turn.fail(error);
    }
    // It is still the newest, so the response after it failed. The client has to start again.
    if (this.#memory.has(previousId)) this.#memory.forget();
    share.release();
    this.#turn = undefined;
    this.#lastActive = performance.now();
    onTurnEnd(turn);
  }

  #check(): void {
    const now = performance.now();
    if (now - this.#begun > this.#limits.lifetime) return this.#end(lifetimeEnding(this.#limits));
    if (this.#turn !== undefined) return;
    if (now - this.#lastActive > this.#limits.idle) {
      return this.#end({ code: closeCodes.normal, reason: 'no message for a long time' });
    }
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    return this.#socket.ping();
  }

  /** Messages that wait are not taken any more. */
  #end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#dropWaiting();
    if (this.#turn === undefined) this.#finish(ending);
  }

  #finish({ code, reason, error }: Ending): void {
    if (error !== undefined) this.#socket.send(JSON.stringify(errorEvent(error)));
    this.#socket.close(code, reason);
  }

  /** The client may send more than there is room for, so it gets the reason and little time to close the connection. */
  #refuse({ code, reason }: Ending): void {
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), this.#limits.linger).unref();
  }

  #dropWaiting(): void {
    for (const { share } of this.#waiting.splice(0)) share.release();
  }

  #onClose(): void {
    clearInterval(this.#timer);
    this.#intake.close();
    this.#dropWaiting();
    this.#memory.forget();
    this.#turn?.leave();
    this.#options.onClose(this);
  }
}

interface RefusedField {
  /** What means the same as a missing field. */
  readonly neutral?: unknown;
  readonly problem: string;
}

/** Fields that are only for HTTP, or that the gateway does not have. */
const refusedFields: Readonly<Record<string, RefusedField>> = {
  background: { neutral: false, problem: 'is not available over a WebSocket; send the request to POST /v1/responses' },
  generate: { neutral: true, problem: 'is not supported by the gateway; leave it out' },
  'stream_id': { problem: 'is not supported by the gateway; open a connection for each conversation' },
};

/** A response is always streamed, so `stream` is set, whatever the client sent. */
function toRequestBody(message: unknown): Record<string, unknown> {
  if (!isRecord(message) || message['type'] !== 'response.create') {
    return throwHttpError(400, 'type: must be "response.create"', { field: 'type' });
  }
  const { type: _type, ...body } = message;
  for (const [field, { neutral, problem }] of Object.entries(refusedFields)) {
    if ((body[field] ?? neutral) !== neutral) throwHttpError(400, `${field}: ${problem}`, { field });
    delete body[field];
  }
  return { ...body, stream: true };
}

function lifetimeEnding({ lifetime }: SocketLimits): Ending {
  const minutes = Math.round(lifetime / 60_000);
  const reason = `a connection lasts ${minutes} minutes; open a new one`;
  const error = new SimpleAgentsError('bad-request', reason, { code: 'websocket_connection_limit_reached' });
  return { code: closeCodes.normal, reason, error: new HttpError(400, error) };
}
