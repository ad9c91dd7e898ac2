// A client of the WebSocket mode, for tests: sends messages and waits for the events of each response.

import type { TestContext } from 'node:test';

import { WebSocket } from 'undici';

export interface SocketEvent {
  readonly type: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly error?: { readonly code: string; readonly param: string | null; readonly message: string };
  readonly delta?: string;
  readonly sequence_number?: number;
  readonly response?: SocketResponse;
}

export interface SocketResponse {
  readonly id: string;
  readonly status: string;
  readonly previous_response_id: string | null;
  readonly output: readonly { readonly content?: readonly { readonly text: string }[] }[];
}

const lastTypes = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

export class SocketClient {
  readonly events: SocketEvent[] = [];
  /** The code and reason, once the connection is closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #socket: WebSocket;
  readonly #listeners = new Set<() => void>();
  #read = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      this.events.push(JSON.parse(String(data)) as SocketEvent);
      for (const listener of this.#listeners) listener();
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
    });
  }

  send(message: string | object): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  sendBinary(bytes: Uint8Array<ArrayBuffer>): void {
    this.#socket.send(bytes);
  }

  create(body: object): void {
    this.send({ type: 'response.create', ...body });
  }

  /** The events of the next response, up to its last. */
  async next(): Promise<SocketEvent[]> {
    const end = (): number => this.events.findIndex((event, at) => at >= this.#read && lastTypes.includes(event.type));
    await this.until(() => end() !== -1);
    const events = this.events.slice(this.#read, end() + 1);
    this.#read = end() + 1;
    return events;
  }

  /** The last event of the response to this request. */
  async ask(body: object): Promise<SocketEvent> {
    this.create(body);
    return (await this.next()).at(-1) as SocketEvent;
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      check();
    });
  }

  close(): void {
    this.#socket.close();
  }
}

/** Rejects if the server does not accept the connection. */
export async function openSocketClient(
  context: TestContext,
  url: string,
  headers: Record<string, string> = {},
): Promise<SocketClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/responses`, { headers });
  context.after(() => socket.close());
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
  return new SocketClient(socket);
}

export function textOf({ response }: SocketEvent): string {
  return (response?.output ?? []).flatMap(({ content = [] }) => content.map(({ text }) => text)).join('');
}
