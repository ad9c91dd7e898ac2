// The server side of OpenAI's legacy completions API: a prompt in, text out. Every provider is called as a chat with the
// prompt as the only message, because current models have no other API. Only text is sent: reasoning is left out.

import type { AssembledMessage } from '../../core/assembler.ts';
import type { SimpleAgentsError } from '../../core/error.ts';
import type { MessageEnd, MessageStart, StreamEvent } from '../../core/event.ts';
import type { JsonObject } from '../../core/json.ts';
import { textOf } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import { JsonField } from '../json-field.ts';
import { openaiChatServer } from '../openai-chat/server.ts';
import { encodeStopReason, encodeUsage } from '../openai-chat/types.ts';
import { encodeSse } from '../sse.ts';
import type { EncodeResponseOptions, StreamEncoder, WireServer } from '../wire.ts';

export const openaiCompletionsServer: WireServer = {
  ...openaiChatServer,
  name: 'openai-completions',
  decodeRequest,
  encodeStream: (options) => new CompletionEncoder(options),
  encodeBody,
};

/** Fields with no equivalent in a chat, and the values that change nothing. */
const unsupported: Readonly<Record<string, readonly unknown[]>> = {
  suffix: [''],
  echo: [false],
  logprobs: [],
  best_of: [1],
  n: [1],
};

/** Fields of the chat API, which this API does not have. */
const chatFields = ['messages', 'tools', 'tool_choice', 'response_format', 'functions', 'function_call'];

function decodeRequest(body: unknown): ChatRequest {
  const root = new JsonField(body);
  for (const name of chatFields) {
    root.optionalMember(name, (field) => field.fail('is not a field of completions; use /v1/chat/completions'));
  }
  for (const [name, neutral] of Object.entries(unsupported)) {
    root.optionalMember(name, (field) => {
      if (!neutral.includes(field.value)) field.fail('is not supported; leave it out');
    });
  }
  const { prompt: _prompt, ...rest } = root.object();
  for (const name of Object.keys(unsupported)) delete rest[name];
  const content = decodePrompt(root.get('prompt'));
  return openaiChatServer.decodeRequest({ ...rest, messages: [{ role: 'user', content }] });
}

function decodePrompt(field: JsonField): string {
  const only = Array.isArray(field.value) ? field.items() : [field];
  const [prompt] = only;
  if (typeof prompt?.value === 'number' || Array.isArray(prompt?.value)) {
    return field.fail('tokens are not supported; send the prompt as a string');
  }
  if (prompt === undefined || only.length > 1) {
    return field.fail(`must be one prompt, but there are ${only.length}; send one request for each`);
  }
  const text = prompt.string();
  if (text === '') return prompt.fail('must not be an empty string');
  return text.isWellFormed() ? text : prompt.fail('must be valid Unicode, without lone surrogates');
}

class CompletionEncoder implements StreamEncoder {
  readonly includesUsage: boolean;
  readonly #created: number;
  readonly #written = new Set<number>();
  #head: JsonObject = {};

  constructor({ created = 0, includeUsage = false }: EncodeResponseOptions = {}) {
    this.#created = created;
    this.includesUsage = includeUsage;
  }

  push(event: StreamEvent, cost?: number): string {
    switch (event.type) {
      case 'message-start':
        return this.#start(event);
      case 'text-delta':
        this.#written.add(event.index);
        return this.#chunk(event.text, null);
      case 'block-end':
        if (event.block.type !== 'text' || this.#written.has(event.index)) return '';
        return this.#chunk(event.block.text, null);
      case 'message-end':
        return this.#end(event, cost);
      default:
        return '';
    }
  }

  fail(error: SimpleAgentsError): string {
    return openaiChatServer.encodeStream().fail(error);
  }

  #start({ id, model }: MessageStart): string {
    this.#head = { id, object: 'text_completion', created: this.#created, model };
    return '';
  }

  #chunk(text: string, finish: string | null): string {
    return encodeSse(JSON.stringify({ ...this.#head, choices: [toChoice(text, finish)] }));
  }

  #end({ stopReason, usage }: MessageEnd, cost: number | undefined): string {
    const finish = this.#chunk('', encodeStopReason(stopReason));
    if (!this.includesUsage || usage.missing) return `${finish}data: [DONE]\n\n`;
    const counts = { ...encodeUsage(usage), ...(cost === undefined ? {} : { cost }) };
    return `${finish}${encodeSse(JSON.stringify({ ...this.#head, choices: [], usage: counts }))}data: [DONE]\n\n`;
  }
}

function toChoice(text: string, finish: string | null): JsonObject {
  return { text, index: 0, logprobs: null, 'finish_reason': finish };
}

function encodeBody(message: AssembledMessage, { created = 0 }: EncodeResponseOptions = {}): JsonObject {
  const { id, model, content, stopReason = 'end', usage } = message;
  return {
    id,
    object: 'text_completion',
    created,
    model,
    choices: [toChoice(textOf(content), encodeStopReason(stopReason))],
    usage: { ...encodeUsage(usage) },
  };
}
