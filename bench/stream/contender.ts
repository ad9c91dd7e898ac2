// The readers to compare, all with one interface: chunks in, transcript out. Each peer gets its bytes in the cheapest form
// that it accepts, so that only its decoding is measured.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { Stream as AnthropicStream } from '@anthropic-ai/sdk/core/streaming';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { Stream as OpenAiStream } from 'openai/core/streaming';

import type { StreamEvent } from '../../src/core/event.ts';
import { createRemoteProvider } from '../../src/providers/remote.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { openaiResponses } from '../../src/wire/openai-responses/client.ts';
import type { WireClient } from '../../src/wire/wire.ts';

type Chunks = readonly Uint8Array[];

export interface Contender {
  readonly name: string;
  readonly kind: 'machine' | 'iterable' | 'peer' | 'floor';
  /** Returns text and tool arguments in order of arrival. */
  read(chunks: Chunks): string | Promise<string>;
}

export const anthropicContenders: readonly Contender[] = [
  machine(anthropicMessages),
  iterable(anthropicMessages),
  {
    name: '@anthropic-ai/sdk, messages.create',
    kind: 'peer',
    async read(chunks) {
      const client = new Anthropic({ apiKey: 'none', fetch: fetchOf(chunks) });
      const body = { model: 'claude-test', max_tokens: 100_000, messages: question, stream: true } as const;
      return transcribe(await client.messages.create(body), pieceOfMessages);
    },
  },
  {
    name: '@anthropic-ai/sdk, parser alone',
    kind: 'peer',
    read: (chunks) =>
      transcribe(
        AnthropicStream.fromSSEResponse<Anthropic.RawMessageStreamEvent>(bareResponse(chunks), new AbortController()),
        pieceOfMessages,
      ),
  },
  {
    name: '@ai-sdk/anthropic, doStream',
    kind: 'peer',
    read: (chunks) => readAiSdk(createAnthropic({ apiKey: 'none', fetch: fetchOf(chunks) })('claude-test')),
  },
  floor((data) => pieceOfMessages(data as Anthropic.RawMessageStreamEvent)),
];

export const openaiContenders: readonly Contender[] = [
  machine(openaiChat),
  iterable(openaiChat),
  {
    name: 'openai, chat.completions.create',
    kind: 'peer',
    async read(chunks) {
      const client = new OpenAI({ apiKey: 'none', fetch: fetchOf(chunks) });
      const body = { model: 'gpt-test', messages: question, stream: true } as const;
      return transcribe(await client.chat.completions.create(body), pieceOfChat);
    },
  },
  {
    name: 'openai, parser alone',
    kind: 'peer',
    read: (chunks) =>
      transcribe(
        OpenAiStream.fromSSEResponse<OpenAI.ChatCompletionChunk>(bareResponse(chunks), new AbortController()),
        pieceOfChat,
      ),
  },
  {
    name: '@ai-sdk/openai, doStream',
    kind: 'peer',
    read: (chunks) => readAiSdk(createOpenAI({ apiKey: 'none', fetch: fetchOf(chunks) }).chat('gpt-test')),
  },
  floor((data) => pieceOfChat(data as OpenAI.ChatCompletionChunk)),
];

export const responsesContenders: readonly Contender[] = [
  machine(openaiResponses),
  iterable(openaiResponses),
  {
    name: 'openai, responses.create',
    kind: 'peer',
    async read(chunks) {
      const client = new OpenAI({ apiKey: 'none', fetch: fetchOf(chunks) });
      return transcribe(
        await client.responses.create({ model: 'gpt-test', input: 'Write.', stream: true }),
        pieceOfResponses,
      );
    },
  },
  {
    name: 'openai, parser alone',
    kind: 'peer',
    read: (chunks) =>
      transcribe(
        OpenAiStream.fromSSEResponse<OpenAI.Responses.ResponseStreamEvent>(bareResponse(chunks), new AbortController()),
        pieceOfResponses,
      ),
  },
  {
    name: '@ai-sdk/openai, doStream',
    kind: 'peer',
    read: (chunks) => readAiSdk(createOpenAI({ apiKey: 'none', fetch: fetchOf(chunks) })('gpt-test')),
  },
  floor((data) => pieceOfResponses(data as OpenAI.Responses.ResponseStreamEvent)),
];

const question = [{ role: 'user', content: 'Write.' }] satisfies { role: 'user'; content: string }[];

function machine(wire: WireClient): Contender {
  return {
    name: 'ours, decodeStream().push',
    kind: 'machine',
    read(chunks) {
      const decoder = wire.decodeStream();
      let transcript = '';
      for (const chunk of chunks) for (const event of decoder.push(chunk)) transcript += pieceOfEvent(event);
      for (const event of decoder.end()) transcript += pieceOfEvent(event);
      if (decoder.failure !== undefined) throw decoder.failure;
      return transcript;
    },
  };
}

/** A complete call, from encoding the request to the last event, without the network. */
function iterable(wire: WireClient): Contender {
  return {
    name: 'ours, provider.open and for await',
    kind: 'iterable',
    async read(chunks) {
      const response = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: iterate(chunks) };
      const transport: Transport = { send: () => Promise.resolve(response), close: () => Promise.resolve() };
      const provider = createRemoteProvider({ name: 'bench', wire, baseUrl: 'http://127.0.0.1/v1', transport });
      const message = { role: 'user', content: [{ type: 'text', text: 'Write.' }] } as const;
      const stream = await provider.open({ model: 'test', messages: [message] }, new AbortController().signal);
      return transcribe(stream, pieceOfEvent);
    },
  };
}

/** Only framing and JSON parsing: the lower bound for a decoder that uses these two. */
function floor(pieceOf: (data: unknown) => string): Contender {
  return {
    name: 'floor: eventsource-parser + JSON.parse',
    kind: 'floor',
    read(chunks) {
      let transcript = '';
      const parser = createParser({
        onEvent({ data }) {
          if (data !== '[DONE]') transcript += pieceOf(JSON.parse(data));
        },
      });
      const text = new TextDecoder();
      for (const chunk of chunks) parser.feed(text.decode(chunk, { stream: true }));
      return transcript;
    },
  };
}

function pieceOfEvent(event: StreamEvent): string {
  if (event.type === 'text-delta') return event.text;
  return event.type === 'tool-call-delta' ? event.json : '';
}

function pieceOfMessages(event: Anthropic.RawMessageStreamEvent): string {
  if (event.type !== 'content_block_delta') return '';
  if (event.delta.type === 'text_delta') return event.delta.text;
  return event.delta.type === 'input_json_delta' ? event.delta.partial_json : '';
}

function pieceOfChat({ choices: [choice] }: OpenAI.ChatCompletionChunk): string {
  return choice?.delta.content ?? choice?.delta.tool_calls?.[0]?.function?.arguments ?? '';
}

function pieceOfResponses(event: OpenAI.Responses.ResponseStreamEvent): string {
  const isPiece =
    event.type === 'response.output_text.delta' || event.type === 'response.function_call_arguments.delta';
  return isPiece ? event.delta : '';
}

async function transcribe<Item>(items: AsyncIterable<Item>, pieceOf: (item: Item) => string): Promise<string> {
  let transcript = '';
  for await (const item of items) transcript += pieceOf(item);
  return transcript;
}

async function readAiSdk(model: ReturnType<ReturnType<typeof createAnthropic>>): Promise<string> {
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Write.' }] }],
    includeRawChunks: false,
  });
  return transcribe(stream, (part) => {
    if (part.type === 'error') throw part.error;
    return part.type === 'text-delta' || part.type === 'tool-input-delta' ? part.delta : '';
  });
}

/** A `fetch` whose response has all chunks queued from the start, which is cheaper to read than a pulling stream. */
function fetchOf(chunks: Chunks): typeof fetch {
  return () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
}

/** The SDKs' parsers accept any async iterable as a body, which avoids the cost of a web stream. */
function bareResponse(chunks: Chunks): Response {
  return { body: iterate(chunks) } as unknown as Response;
}

/** Not an async generator, because that would cost more than some of the readers. */
function iterate(chunks: Chunks): AsyncIterable<Uint8Array> {
  let position = 0;
  const next = (): Promise<IteratorResult<Uint8Array>> => {
    const value = chunks[position++];
    return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
