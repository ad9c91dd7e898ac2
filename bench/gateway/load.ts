// Load for the gateways: many requests over few connections, sequential requests, paced streams and idle streams. A
// response that differs from the upstream's ends the benchmark with an error.

import { Pool, type Dispatcher } from 'undici';

import type { Running } from './contender.ts';

const padding = 'Tell me about the quick brown fox and the lazy dog, please. '.repeat(6);

/** About half a kilobyte. */
function bodyOf(model: string, stream: boolean): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: padding },
    ],
    max_tokens: 200,
    ...(stream ? { stream } : {}),
  });
}

export type Wire = 'openai' | 'anthropic';

const paths: Readonly<Record<Wire, string>> = { openai: '/v1/chat/completions', anthropic: '/v1/messages' };

class Client {
  readonly #pool: Pool;
  readonly #running: Running;

  constructor(running: Running, connections: number) {
    this.#running = running;
    this.#pool = new Pool(running.origin, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** Calls `onChunk` for every chunk of the response; resolves at its end. */
  send(body: string, wire: Wire, onChunk: (chunk: string) => void): Promise<void> {
    const ended = Promise.withResolvers<void>();
    const handler = new ResponseHandler(ended, onChunk);
    const { headers } = this.#running.contender;
    const version = wire === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {};
    this.#pool.dispatch(
      {
        path: paths[wire],
        method: 'POST',
        headers: { 'content-type': 'application/json', ...version, ...headers },
        body,
      },
      handler,
    );
    return ended.promise;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #ended: PromiseWithResolvers<void>;
  readonly #onChunk: (chunk: string) => void;
  #status = 0;

  constructor(ended: PromiseWithResolvers<void>, onChunk: (chunk: string) => void) {
    this.#ended = ended;
    this.#onChunk = onChunk;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#status !== 200) this.#ended.reject(new Error(`status ${this.#status}: ${chunk.toString()}`));
    else this.#onChunk(chunk.toString('latin1'));
  }

  onResponseEnd(): void {
    this.#ended.resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#ended.reject(error);
  }
}

async function sendAndCheck(client: Client, body: string): Promise<void> {
  let length = 0;
  await client.send(body, 'openai', (chunk) => (length += chunk.length));
  if (length < 500) throw new Error(`the response has only ${length} bytes`);
}

export async function sendRequests(running: Running, count: number, connections = 64): Promise<void> {
  const client = new Client(running, connections);
  const body = bodyOf(running.contender.model('bench'), false);
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) await sendAndCheck(client, body);
  };
  await Promise.all(Array.from({ length: connections }, work));
  await client.close();
}

/** Sends `count` requests in sequence; returns the duration of each in milliseconds. */
export async function timeRequests(running: Running, count: number): Promise<number[]> {
  const client = new Client(running, 1);
  const body = bodyOf(running.contender.model('bench'), false);
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    await sendAndCheck(client, body);
    times.push(performance.now() - started);
  }
  await client.close();
  return times;
}

export interface Pace {
  readonly streams: number;
  readonly chunks: number;
  readonly milliseconds: number;
}

const endings: Readonly<Record<Wire, string>> = { openai: '[DONE]', anthropic: 'message_stop' };

export async function readStreams(
  running: Running,
  wire: Wire,
  { streams, chunks, milliseconds }: Pace,
): Promise<void> {
  const client = new Client(running, streams);
  const body = bodyOf(running.contender.model(`paced-${chunks}-${milliseconds}`), true);
  const read = async (): Promise<void> => {
    let words = 0;
    let last = '';
    await client.send(body, wire, (chunk) => {
      words += chunk.split('quick brown').length - 1;
      last = (last + chunk).slice(-100);
    });
    if (words !== chunks || !last.includes(endings[wire]))
      throw new Error(`the stream has ${words} chunks and ends with ${last}`);
  };
  await Promise.all(Array.from({ length: streams }, read));
  await client.close();
}

/** Opens streams that stay idle after their first chunk. Returns a function that closes them. */
export async function holdStreams(running: Running, streams: number): Promise<() => Promise<void>> {
  const client = new Client(running, streams);
  const body = bodyOf(running.contender.model('idle'), true);
  const begin = (): Promise<void> =>
    new Promise((resolve, reject) => {
      client.send(body, 'openai', () => resolve()).catch(reject);
    });
  // In groups, so that the server's accept queue does not overflow.
  try {
    for (let opened = 0; opened < streams; opened += 50) await Promise.all(Array.from({ length: 50 }, begin));
  } catch (error) {
    await client.close();
    throw error;
  }
  return () => client.close();
}
