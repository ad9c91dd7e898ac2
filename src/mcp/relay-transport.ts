// A server inside the program that drives us: that program carries the messages. In the shape that the MCP client expects of
// a transport.

import { isRecord } from '../core/json.ts';

/** The program's side. */
export interface McpRelay {
  /** Resolves to the server's reply to a request, and to anything for a notification. Rejects if it cannot be delivered. */
  send(message: object, signal: AbortSignal): Promise<unknown>;
  /** Receives the messages that the server sends by itself. */
  onMessage?: ((message: object) => void) | undefined;
}

export class RelayTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: object) => void) | undefined;
  readonly #relay: McpRelay;
  readonly #closing = new AbortController();

  constructor(relay: McpRelay) {
    this.#relay = relay;
  }

  async start(): Promise<void> {
    this.#relay.onMessage = (message) => this.onmessage?.(message);
  }

  /** Resolves before the reply, like every transport. */
  async send(message: object): Promise<void> {
    void this.#deliver(message);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#relay.onMessage = undefined;
    this.onclose?.();
  }

  async #deliver(message: object): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    try {
      const reply = await this.#relay.send(message, this.#closing.signal);
      if (id !== undefined) this.#receive(isRecord(reply) ? reply : toError(id, 'sent no reply'));
    } catch (error) {
      if (id !== undefined) this.#receive(toError(id, error instanceof Error ? error.message : String(error)));
    }
  }

  #receive(message: object): void {
    if (!this.#closing.signal.aborted) this.onmessage?.(message);
  }
}

function toError(id: unknown, message: string): object {
  return { jsonrpc: '2.0', id, error: { code: -32_000, message } };
}
