// A gateway with an upstream that sends any bytes in any way, called in either wire, and what its client can tell about
// the response: complete, failed with an error, or ended silently, which must never happen.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import type { StreamEvent } from '../../src/core/event.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { loadCassettes } from './cassette.ts';
import { ask, startGateway, type GatewayTestOptions, type TestGateway, type UpstreamWire } from './gateway-server.ts';
import { readRequest, startHttpServer, type TestServer } from './server.ts';

const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;
const wires = { openai: openaiChat, anthropic: anthropicMessages } as const;

/** Writes a response, including its headers. */
export type Play = (response: ServerResponse) => void | Promise<void>;

export interface Combination {
  readonly client: UpstreamWire;
  readonly upstream: UpstreamWire;
}

export const combinations: readonly Combination[] = (['openai', 'anthropic'] as const).flatMap((client) =>
  (['openai', 'anthropic'] as const).map((upstream) => ({ client, upstream })),
);

/** Retries at once, as often as needed. */
export const retrying: GatewayTestOptions = {
  gateway: { retry: { maxAttempts: 2, initialBackoff: 1, jitter: false, budgetReserve: 1_000_000 } },
};

/** What a client received, and how it looks to the client. */
export interface Received {
  readonly status: number;
  readonly text: string;
  /** The number of requests to the upstream. */
  readonly asked: number;
  readonly events: readonly StreamEvent[];
  /** `silent`: it looked complete, and was not. */
  readonly end: 'complete' | 'refused' | 'failed' | 'silent';
}

export interface FaultyGateway extends TestGateway {
  readonly upstream: TestServer;
  call(combination: Combination, play: Play, more?: object): Promise<Received>;
  /** Leaves when what it has received matches the pattern. */
  callUntil(pattern: RegExp, combination: Combination, play: Play): Promise<void>;
}

export async function startFaultyGateway(context: TestContext, options?: GatewayTestOptions): Promise<FaultyGateway> {
  const plays = new Map<string, { readonly play: Play; asked: number }>();
  const upstream = await startHttpServer(context, (request, response) => {
    void readRequest(request).then((text) => {
      const { model } = JSON.parse(text) as { model: string };
      const entry = plays.get(model);
      assert.ok(entry !== undefined);
      entry.asked++;
      return entry.play(response);
    });
  });
  const gateway = await startGateway(context, upstream.origin, options);
  const open = async (
    { client, upstream: wire }: Combination,
    play: Play,
    more: object = {},
  ): Promise<{ readonly response: Response; readonly asked: () => number }> => {
    const model = `play-${plays.size}`;
    const entry = { play, asked: 0 };
    plays.set(model, entry);
    const body = ask(`${wire}/${model}`, 'go', { stream: true, ...includeUsage(client), ...more });
    return { response: await gateway.post(paths[client], body), asked: () => entry.asked };
  };
  return {
    ...gateway,
    upstream,
    async call(combination, play, more) {
      const { response, asked } = await open(combination, play, more);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { ...interpret(combination.client, response, bytes), asked: asked() };
    },
    async callUntil(pattern, combination, play) {
      const { response } = await open(combination, play);
      let text = '';
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        if (pattern.test(text)) return;
      }
      assert.fail(`the stream ended without ${pattern}: ${text}`);
    },
  };
}

/** So that the same wire on both sides changes nothing. */
function includeUsage(client: UpstreamWire): object {
  return client === 'openai' ? { stream_options: { include_usage: true } } : {};
}

function interpret(client: UpstreamWire, { status, headers }: Response, bytes: Uint8Array): Omit<Received, 'asked'> {
  const text = new TextDecoder().decode(bytes);
  if (status !== 200 || headers.get('content-type')?.startsWith('application/json') === true) {
    assert.ok(status >= 400, `${status} ${text}`);
    assert.ok(JSON.parse(text).error.message !== undefined);
    return { status, text, events: [], end: 'refused' };
  }
  const decoder = wires[client].decodeStream({ provider: 'p' });
  const events = decoder.push(bytes);
  const isTold = decoder.failure !== undefined;
  events.push(...decoder.end());
  const end = isTold ? 'failed' : decoder.failure === undefined ? 'complete' : 'silent';
  return { status, text, events, end };
}

/** What arrived is the beginning of the response, and if it is incomplete, the client got an error. */
export function assertHonest(received: Received, complete: Received): void {
  assert.equal(complete.end, 'complete');
  assert.notEqual(received.end, 'silent', received.text);
  if (received.status === 200) assert.equal(received.asked, 1, 'no retry after the first byte');
  const known = complete.events.map(comparable);
  const got = received.events.map(comparable);
  if (received.end === 'complete') assert.deepEqual(got.filter(isNotUsage), known.filter(isNotUsage));
  else assert.ok(isDeepStrictEqual(got, known.slice(0, got.length)), received.text);
}

function isNotUsage({ type }: { readonly type: string }): boolean {
  return type !== 'usage';
}

/** Usage may come after the stop reason and be lost. */
function comparable(event: StreamEvent): StreamEvent {
  if (event.type === 'message-end') return { ...event, usage: { input: 0, output: 0 } };
  return event;
}

const recorded = new Map(loadCassettes().map(({ name, bytes }) => [name, Buffer.from(bytes)]));
const folders = { openai: 'openai-chat', anthropic: 'anthropic-messages' } as const;

/** A complete recorded stream. */
export function recordedStream(wire: UpstreamWire, name: string): Buffer {
  const bytes = recorded.get(`${folders[wire]}/${name}`);
  assert.ok(bytes !== undefined, name);
  return bytes;
}

export function beginStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
}

export function playing(bytes: Uint8Array | string, headers?: Record<string, string>): Play {
  return (response) => {
    beginStream(response, headers);
    response.end(bytes);
  };
}

/** Sends some of the bytes, and then resets the connection or ends the response normally. */
export function cutAt(bytes: Buffer, at: number, how: 'reset' | 'end'): Play {
  return (response) => {
    beginStream(response);
    const part = bytes.subarray(0, at);
    if (how === 'end') return void response.end(part);
    const reset = (): void => void response.socket?.resetAndDestroy();
    // Writes of one tick are sent together, so a reset must wait for them.
    if (at === 0) setImmediate(reset);
    else response.write(part, reset);
  };
}

/** Sends the bytes in chunks that arrive one by one. */
export function split(bytes: Buffer, cuts: readonly number[]): Play {
  return async (response) => {
    beginStream(response);
    const ends = [...cuts, bytes.length];
    for (const [index, end] of ends.entries()) {
      const piece = bytes.subarray(ends[index - 1] ?? 0, end);
      if (piece.length > 0) await new Promise<void>((resolve) => response.write(piece, () => setImmediate(resolve)));
    }
    response.end();
  };
}
