// One fault against a real gateway over real HTTP: a chain of two targets, the first of which has the fault. A client
// sends calls while the fault lasts, the fault ends, and the client continues until the first target responds again.

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
  /** Settings of the gateway beside providers and chain. Empty: the defaults. */
  readonly settings?: Partial<GatewaySettings>;
  /** The number of sequential calls while the fault lasts. */
  readonly calls: number;
  /** How long to wait for the first target's return, in milliseconds. */
  readonly longestReturn: number;
}

export interface Reply {
  readonly isWhole: boolean;
  /** The error that the client got, if the response is incomplete. */
  readonly error?: string;
  readonly took: number;
  /** Requests that reached each target, or should have. */
  readonly asked: { readonly first: number; readonly second: number };
}

export interface Result {
  readonly fault: Fault;
  readonly replies: readonly Reply[];
  /** Milliseconds from the end of the fault to a response of the first target; undefined if it cannot return. */
  readonly returned?: number;
  /** Calls between the end of the fault and that response that failed. */
  readonly lostAfter: number;
  /** Whether another model of the first target's provider still worked. */
  readonly isOtherModelServed?: boolean;
}

const words = Array.from({ length: 12 }, (_, ordinal) => `word${ordinal} `);
const whole = words.join('');

export async function runFault(fault: Fault, options: WallOptions): Promise<Result> {
  const bench = await Bench.start(fault, options);
  try {
    return await bench.run();
  } finally {
    await bench.close();
  }
}

class Bench {
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

  static async start(fault: Fault, options: WallOptions): Promise<Bench> {
    const bench = new Bench(fault, options);
    const first = await bench.#startFirst();
    const second = await bench.#listen(createHttpServer((request, response) => void bench.#answer(request, response)));
    await bench.#startGateway(first, `http://127.0.0.1:${second}`);
    return bench;
  }

  async run(): Promise<Result> {
    const replies: Reply[] = [];
    while (replies.length < this.#options.calls) replies.push(await this.#call('first/m'));
    const { play } = this.#fault;
    if (play === undefined) return { fault: this.#fault, replies, lostAfter: 0 };
    const other = await this.#call('first/other');
    const isOtherModelServed = other.isWhole && other.asked.first === 1;
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
      const { isWhole, asked } = await this.#call('first/m');
      const returned = performance.now() - start;
      if (!isWhole) lostAfter++;
      if (isWhole && asked.first > 0 && asked.second === 0) return { returned, lostAfter };
      if (returned > this.#options.longestReturn) return { lostAfter };
      await sleep(100);
    }
  }

  /** As a client of the OpenAI wire sends it. */
  async #call(model: string): Promise<Reply> {
    const before = this.#events.length;
    const start = performance.now();
    const answer = await ask(this.#url, model).catch((error: unknown) => ({ text: '', error: String(error) }));
    const took = performance.now() - start;
    const count = (name: string): number =>
      this.#events.slice(before).filter((event) => event.type === 'attempt-start' && event.target.startsWith(name))
        .length - this.#turnedAway(before, name);
    const asked = { first: count('first/'), second: count('second/') };
    const isWhole = answer.error === undefined && answer.text === whole;
    return { isWhole, took, asked, ...(isWhole ? {} : { error: answer.error ?? `only "${answer.text}" came` }) };
  }

  /** Attempts that an open breaker rejected did not reach a target. */
  #turnedAway(from: number, name: string): number {
    return this.#events.slice(from).filter((event) => {
      return event.type === 'attempt-end' && event.target.startsWith(name) && event.error?.code === 'breaker-open';
    }).length;
  }

  async #startGateway(first: string, second: string): Promise<void> {
    const common = { type: 'openai-compatible', model: 'm', apiKey: 'key', healTools: false };
    const gateway = createGateway(
      {
        providers: [
          { ...common, name: 'first', baseUrl: `${first}/v1` },
          { ...common, name: 'second', baseUrl: `${second}/v1` },
        ],
        chains: [{ model: 'first/m', targets: ['second/m'] }],
        router: { onCut: this.#options.onCut },
        ...this.#options.settings,
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
    // A label may have 63 characters, so the resolver rejects this one without sending a query.
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
    const asked = await readBody(request);
    if (!this.#isFaulty || asked.model !== 'm' || play === undefined) return writeAnswer(asked, response);
    await play({ response, frames: framesOf(whole), limits: this.#options.limits, ordinal: this.#faultsPlayed++ });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    writeAnswer(await readBody(request), response);
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

interface AskedBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

async function readBody(request: IncomingMessage): Promise<AskedBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as AskedBody;
}

/** The complete text, or what follows the part that is already in the request. */
function writeAnswer({ messages }: AskedBody, response: ServerResponse): void {
  const delivered = messages.find(({ role }) => role === 'assistant')?.content ?? '';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(framesOf(whole.startsWith(delivered) ? whole.slice(delivered.length) : whole).join(''));
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

async function ask(url: string, model: string): Promise<{ readonly text: string; readonly error?: string }> {
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
  return hasEnded ? { text } : { text, error: 'the stream ended without an end and without an error' };
}

interface StreamedEvent {
  readonly error?: { readonly message: string };
  readonly choices?: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
}
