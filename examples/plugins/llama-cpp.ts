// A plugin that adds the provider type `llama-cpp`: the native `/completion` endpoint of llama.cpp's server, which has no
// OpenAI format. It shows the whole contract of a provider: resolve at the first content, classify errors, report usage.

import type { ChatRequest, Provider, StreamEvent, TransportResponse } from '../../src/index.ts';
import type { PluginApi, ProviderOptions } from '../../src/exports/gateway.ts';

export const apiVersion = 1;

interface Settings {
  readonly slot: number;
}

export function register(api: PluginApi): void {
  api.addProvider({
    name: 'llama-cpp',
    label: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080',
    defaultModel: 'local',
    settings: {
      type: 'object',
      properties: {
        slot: { type: 'integer', minimum: -1, default: -1, description: 'The slot of the server to use.' },
      },
      additionalProperties: false,
    },
    create: (options) => createProvider(options, api),
  });
}

function createProvider({ name, baseUrl = '', settings, transport }: ProviderOptions, api: PluginApi): Provider {
  const { slot } = settings as Settings;
  return {
    name,
    async open(request, signal) {
      const body = { prompt: toPrompt(request), n_predict: request.maxTokens ?? -1, id_slot: slot, stream: true };
      const response = await transport.send(
        {
          method: 'POST',
          url: `${baseUrl}/completion`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
        signal,
      );
      if (response.status !== 200) {
        const kind = response.status === 503 ? 'overloaded' : 'upstream';
        throw api.error(kind, `llama.cpp answered with status ${response.status}`, { target: name });
      }
      return toStream(name, request.model, response);
    },
  };
}

function toPrompt({ messages }: ChatRequest): string {
  const turns = messages.map(({ role, content }) => {
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return `<|${role}|>\n${text}\n`;
  });
  return `${turns.join('')}<|assistant|>\n`;
}

interface Chunk {
  readonly content: string;
  readonly stop: boolean;
  readonly tokens_evaluated?: number;
  readonly tokens_predicted?: number;
}

/** Reads up to the first content, because a call that fails before it can be tried elsewhere. */
async function toStream(target: string, model: string, response: TransportResponse) {
  const events = readEvents(model, response);
  const opening: StreamEvent[] = [];
  while (opening.at(-1)?.type !== 'text-delta' && opening.at(-1)?.type !== 'message-end') {
    const { value, done } = await events.next();
    if (done) break;
    opening.push(value);
  }
  const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
  async function* read(): AsyncGenerator<StreamEvent> {
    let outcome: Outcome = { type: 'left', usage: none };
    try {
      for await (const event of chain(opening, events)) {
        if (event.type === 'message-end') outcome = { type: 'complete', stopReason: 'end', usage: event.usage };
        yield event;
      }
    } catch (error) {
      outcome = { type: 'failed', error, usage: none };
      throw error;
    } finally {
      resolve(outcome);
    }
  }
  return { target, ended, [Symbol.asyncIterator]: read };
}

type Outcome = Awaited<Awaited<ReturnType<Provider['open']>>['ended']>;

const none = { input: 0, output: 0 };

async function* chain(opening: readonly StreamEvent[], rest: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  yield* opening;
  yield* rest;
}

async function* readEvents(model: string, response: TransportResponse): AsyncGenerator<StreamEvent> {
  yield { type: 'message-start', id: crypto.randomUUID(), model };
  let text = '';
  for await (const chunk of readChunks(response)) {
    text += chunk.content;
    if (chunk.content !== '') yield { type: 'text-delta', index: 0, text: chunk.content };
    if (!chunk.stop) continue;
    if (text !== '') yield { type: 'block-end', index: 0, block: { type: 'text', text } };
    const usage = { input: chunk.tokens_evaluated ?? 0, output: chunk.tokens_predicted ?? 0 };
    yield { type: 'message-end', stopReason: 'end', usage };
    return;
  }
  throw new Error('llama.cpp closed the stream before the end of the response');
}

async function* readChunks({ body }: TransportResponse): AsyncGenerator<Chunk> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const bytes of body) {
    const lines = (held + decoder.decode(bytes, { stream: true })).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as Chunk;
  }
}
