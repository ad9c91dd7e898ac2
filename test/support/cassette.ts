// Cassettes: folders of raw bytes and golden events, one for each behavior of a provider. Written by hand for this
// project; see CONTRIBUTING.md for how to add one. Binary streams were made with the vendor's own encoder.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { StreamEvent } from '../../src/core/event.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { anthropicMessagesServer } from '../../src/wire/anthropic-messages/server.ts';
import { bedrockConverse } from '../../src/wire/bedrock-converse/client.ts';
import { gemini } from '../../src/wire/gemini/client.ts';
import { geminiServer } from '../../src/wire/gemini/server.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { openaiResponses } from '../../src/wire/openai-responses/client.ts';
import { openaiResponsesServer } from '../../src/wire/openai-responses/server.ts';
import { bedrockDialect, bedrockRoute, converseWire } from '../../src/testing/simulate/bedrock/dialect.ts';
import { converseMessages } from '../../src/testing/simulate/bedrock/frames.ts';
import type { SimulatedWire } from '../../src/testing/simulate/dialect.ts';
import type { EncodedRequest, StreamDecoder, StreamScanner, WireClient } from '../../src/wire/wire.ts';

export interface Wire {
  readonly client: WireClient;
  /** Of the gateway, or of the simulator only. */
  readonly server: SimulatedWire;
  /** For streams that are not server-sent events: makes their bytes from those. */
  readonly frame?: (events: string) => Uint8Array;
}

export const wires: readonly Wire[] = [
  { client: anthropicMessages, server: anthropicMessagesServer },
  { client: openaiChat, server: openaiChatServer },
  { client: openaiResponses, server: openaiResponsesServer },
  { client: bedrockConverse, server: converseWire, frame: converseMessages },
  { client: gemini, server: geminiServer },
];

export interface Cassette {
  readonly name: string;
  readonly folder: string;
  readonly wire: Wire;
  readonly request: unknown;
  readonly bytes: Uint8Array;
}

/** The result of decoding a stream: its events and, if it failed, the kind of failure. */
export interface Decoded {
  readonly events: readonly StreamEvent[];
  readonly failure?: string;
}

const root = join(import.meta.dirname, '../wire/cassettes');

export function loadCassettes(): Cassette[] {
  return wires.flatMap((wire) =>
    readdirSync(join(root, wire.client.name)).map((name) => {
      const folder = join(root, wire.client.name, name);
      const request: unknown = JSON.parse(readFileSync(join(folder, 'request.json'), 'utf8'));
      const binary = join(folder, 'response.eventstream');
      const bytes = new Uint8Array(readFileSync(existsSync(binary) ? binary : join(folder, 'response.sse')));
      return { name: `${wire.client.name}/${name}`, folder, wire, request, bytes };
    }),
  );
}

export function goldenPath(cassette: Cassette): string {
  return join(cassette.folder, 'events.jsonl');
}

/** The last line contains the failure, if there is one. */
export function loadGolden(cassette: Cassette): Decoded {
  const lines = readFileSync(goldenPath(cassette), 'utf8').trimEnd().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as StreamEvent | { failure: string });
  const events = parsed.filter((line): line is StreamEvent => 'type' in line);
  const last = parsed.at(-1);
  return last !== undefined && 'failure' in last ? { events, failure: last.failure } : { events };
}

export function decodeChunks(decoder: StreamDecoder, chunks: Iterable<Uint8Array>): Decoded {
  const events: StreamEvent[] = [];
  for (const chunk of chunks) events.push(...decoder.push(chunk));
  events.push(...decoder.end());
  return decoder.failure === undefined ? { events } : { events, failure: decoder.failure.kind };
}

export function encodeEvents({ server, frame }: Wire, events: Iterable<StreamEvent>): Uint8Array {
  const encoder = server.encodeStream({ includeUsage: true });
  let text = '';
  for (const event of events) text += encoder.push(event);
  return frame?.(text) ?? new TextEncoder().encode(text);
}

/** The body of a request with what its path says, as the server's side reads it. */
export function receivedBody({ body, path = '' }: EncodedRequest): unknown {
  const route = bedrockRoute(path);
  const dialect = route === undefined ? undefined : bedrockDialect(path, route);
  return dialect?.toBody?.(body) ?? body;
}

/** Decodes the raw bytes of a stream, in the framing of the wire. */
export function openDecoder(client: WireClient): StreamDecoder {
  const { framing } = client;
  const decoder = client.decodeStream();
  if (framing === undefined) return decoder;
  const frames = framing.open();
  return {
    push: (chunk) => decoder.push(frames.push(chunk)),
    end: () => decoder.end(),
    get done() {
      return decoder.done;
    },
    get failure() {
      return decoder.done ? undefined : (frames.failure ?? decoder.failure);
    },
    get usage() {
      return decoder.usage;
    },
  };
}

/** Scans the raw bytes of a stream. Returns what the scanner knows at the end. */
export function scanChunks(
  client: WireClient,
  chunks: Iterable<Uint8Array>,
): Pick<StreamScanner, 'done' | 'failure' | 'usage' | 'stopReason'> {
  const scanner = client.scanStream();
  const frames = client.framing?.open();
  for (const chunk of chunks) scanner.push(frames?.push(chunk) ?? chunk);
  scanner.end();
  const { done, usage, stopReason } = scanner;
  return { done, usage, stopReason, failure: done ? undefined : (frames?.failure ?? scanner.failure) };
}
