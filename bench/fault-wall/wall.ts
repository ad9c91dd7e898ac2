// Runs one fault against a real gateway over real HTTP, with a chain of two targets. The first target has the fault. A
// client makes calls during the fault; then the fault ends, and the client continues until the first target responds again.

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEvent, OnCut } from '../../src/core/call.ts';
import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import { createServer } from '../../src/server/server.ts';
import type { Fault, Limits } from './faults.ts';
import { createGateway } from '../../src/node.ts';

export interface WallOptions {
  readonly onCut: OnCut;
  readonly limits: Limits;
  /** The timeouts of the first target. Left out, the defaults apply. */
  readonly timeouts?: Limits;
  /** Gateway settings besides providers and chain. Left out, the defaults apply. */
  readonly settings?: Partial<GatewaySettings>;
  /** The number of calls in sequence during the fault. */
  readonly calls: number;
  /** How long to wait for the first target to be used again, in milliseconds. */
  readonly longestReturn: number;
}

export interface Reply {
  readonly isComplete: boolean;
  /** The client's error, if the response is incomplete. */
  readonly error?: string;
  /** In milliseconds. */
  readonly took: number;
  /** Requests sent to each target. */
  readonly requests: { readonly first: number; readonly second: number };
}

export interface Result {
  readonly fault: Fault;
  readonly replies: readonly Reply[];
  /** Milliseconds from the end of the fault to a response of the first target; undefined if there was none. */
  readonly returned?: number;
  /** Calls after the end of the fault, up to that response, that failed. */
  readonly lostAfter: number;
  /** Whether another model of the first target's provider was available during the fault. */
  readonly isOtherModelServed?: boolean;
}

/** The error of a stream that ends with neither a stop reason nor an error event. */
export const silentEnd = 'the stream ended without a stop reason and without an error';

const words = Array.from({ length: 12 }, (_, ordinal) => `word${ordinal} `);
const fullText = words.join('');

export async function runFault(fault: Fault, options: WallOptions): Promise<Result> {
  const run = await FaultRun.start(fault, options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class FaultRun {
  readonly #fault: Fault;
  readonly #options: WallOptions;
  readonly #closing: (() => Promise<void>)[] = [];
  readonly #events: CallEvent[] = [];
  #isFaulty = true;
  #faultsPlayed = 0;
  #url = '';

  private constructor(fault: Fault, options: WallOptions) {
    this.#fault = fault;
    this.#options = options;
  }

  static async start(fault: Fault, options: WallOptions): Promise<FaultRun> {
    const run = new FaultRun(fault, options);
    const first = await run.#startFirst();
    const second = await run.#listen(createHttpServer((request, response) => void run.#respond(request, response)));
    await run.#startGateway(first, `http://127.0.0.1:${second}`);
    return run;
  }

  async run(): Promise<Result> {
    const replies: Reply[] = [];
    while (replies.length < this.#options.calls) replies.push(await this.#call('first/m'));
    const { play } = this.#fault;
    if (play === undefined) return { fault: this.#fault, replies, lostAfter: 0 };
    const other = await this.#call('first/other');
    const isOtherModelServed = other.isComplete && other.requests.first === 1;
    return { fault: this.#fault, replies, isOtherModelServed, ...(await this.#recover()) };
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }

  async #recover(): Promise<Pick<Result, 'returned' | 'lostAfter'>> {
    this.#isFaulty = false;
    const start = performance.now();
    let lostAfter = 0;
    for (;;) {
      const { isComplete, requests } = await this.#call('first/m');
      const returned = performance.now() - start;
      if (!isComplete) lostAfter++;
      if (isComplete && requests.first > 0 && requests.second === 0) return { returned, lostAfter };
      if (returned > this.#options.longestReturn) return { lostAfter };
      await sleep(100);
    }
  }

  /** Makes one call as a client of the OpenAI wire. */
  async #call(model: string): Promise<Reply> {
    const before = this.#events.length;
    const start = performance.now();
    const received = await call(this.#url, model).catch((error: unknown) => ({ text: '', error: String(error) }));
    const took = performance.now() - start;
    const count = (name: string): number =>
      this.#events.slice(before).filter((event) => event.type === 'attempt-start' && event.target.startsWith(name))
        .length - this.#countRefused(before, name);
    const requests = { first: count('first/'), second: count('second/') };
    const isComplete = received.error === undefined && received.text === fullText;
    return {
      isComplete,
      took,
      requests,
      ...(isComplete ? {} : { error: received.error ?? `received only "${received.text}"` }),
    };
  }

  /** Attempts that an open breaker refused, so that no request was sent. */
  #countRefused(from: number, name: string): number {
    return this.#events.slice(from).filter((event) => {
      return event.type === 'attempt-end' && event.target.startsWith(name) && event.error?.code === 'breaker-open';
    }).length;
  }

  async #startGateway(first: string, second: string): Promise<void> {
    const common = { type: 'openai-compatible', model: 'm', apiKey: 'key', healTools: false };
    const { timeouts = {}, settings, onCut } = this.#options;
    const gateway = createGateway(
      {
        providers: [
          { ...common, name: 'first', baseUrl: `${first}/v1`, timeouts },
          { ...common, name: 'second', baseUrl: `${second}/v1` },
        ],
        chains: [{ model: 'first/m', targets: ['second/m'] }],
        router: { onCut },
        ...settings,
      },
      { observer: (event) => this.#events.push(event) },
    );
    const server = createServer({ port: 0, drain: 0, provider: gateway });
    this.#url = await server.listen();
    this.#closing.push(
      () => gateway.close(),
      () => server.close(),
    );
  }

  /** The base URL of the first target. */
  async #startFirst(): Promise<string> {
    const { unreachable } = this.#fault;
    // A label may have at most 63 characters, so the resolver rejects this one without sending a query.
    if (unreachable === 'dns') return `http://${'x'.repeat(64)}.invalid`;
    if (unreachable === 'silent-tls')
      return `https://127.0.0.1:${await this.#listen(createSocketServer(() => undefined))}`;
    const port = await this.#listen(createHttpServer((request, response) => void this.#receive(request, response)));
    if (unreachable === 'tls') return `https://127.0.0.1:${port}`;
    if (unreachable === 'refused') await this.#closing.pop()?.();
    return `http://127.0.0.1:${port}`;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { play } = this.#fault;
    const body = await readBody(request);
    if (!this.#isFaulty || body.model !== 'm' || play === undefined) return writeResponse(body, response);
    await play({ response, frames: framesOf(fullText), limits: this.#options.limits, ordinal: this.#faultsPlayed++ });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    writeResponse(await readBody(request), response);
  }

  async #listen(server: Server | SocketServer): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#closing.push(async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    return (server.address() as AddressInfo).port;
  }
}

interface RequestBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as RequestBody;
}

/** Sends the full text, or what follows the part that a request to continue already contains. */
function writeResponse({ messages }: RequestBody, response: ServerResponse): void {
  const delivered = messages.find(({ role }) => role === 'assistant')?.content ?? '';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(framesOf(fullText.startsWith(delivered) ? fullText.slice(delivered.length) : fullText).join(''));
}

function framesOf(text: string): string[] {
  const pieces = text.match(/\S+\s*/g) ?? [];
  return [...pieces.map((content) => frameOf({ content }, null)), frameOf({}, 'stop'), 'data: [DONE]\n\n'];
}

function frameOf(delta: object, reason: 'stop' | null): string {
  const choices = [{ index: 0, delta, 'finish_reason': reason }];
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

async function call(url: string, model: string): Promise<{ readonly text: string; readonly error?: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Go.' }] }),
  });
  const body = await response.text();
  if (!response.ok) return { text: '', error: body };
  let text = '';
  let hasEnded = false;
  for (const [, data = ''] of body.matchAll(/^data: (.*)$/gm)) {
    if (data === '[DONE]') continue;
    const event = JSON.parse(data) as StreamedEvent;
    if (event.error !== undefined) return { text, error: event.error.message };
    text += event.choices?.[0]?.delta.content ?? '';
    hasEnded ||= event.choices?.[0]?.finish_reason === 'stop';
  }
  return hasEnded ? { text } : { text, error: silentEnd };
}

interface StreamedEvent {
  readonly error?: { readonly message: string };
  readonly choices?: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
}
