// Cassettes: folders of raw bytes and golden events, one for each behavior of a provider. Written by hand for this
// project; see CONTRIBUTING.md for how to add one.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { StreamEvent } from '../../src/core/event.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { anthropicMessagesServer } from '../../src/wire/anthropic-messages/server.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { openaiResponses } from '../../src/wire/openai-responses/client.ts';
import { openaiResponsesServer } from '../../src/wire/openai-responses/server.ts';
import type { StreamDecoder, WireClient, WireServer } from '../../src/wire/wire.ts';

export interface Wire {
  readonly client: WireClient;
  readonly server: WireServer;
}

export const wires: readonly Wire[] = [
  { client: anthropicMessages, server: anthropicMessagesServer },
  { client: openaiChat, server: openaiChatServer },
  { client: openaiResponses, server: openaiResponsesServer },
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
      const bytes = new Uint8Array(readFileSync(join(folder, 'response.sse')));
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

export function encodeEvents(server: WireServer, events: Iterable<StreamEvent>): Uint8Array {
  const encoder = server.encodeStream({ includeUsage: true });
  let text = '';
  for (const event of events) text += encoder.push(event);
  return new TextEncoder().encode(text);
}
