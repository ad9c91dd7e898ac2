// The server side of OpenAI's legacy completions API: a prompt in, text out. A provider that has this API gets the request
// unchanged. Others are called as a chat with the prompt as the only message; only its text is sent, without reasoning.

import type { AssembledMessage } from '../../core/assembler.ts';
import type { SimpleAgentsError } from '../../core/error.ts';
import type { MessageEnd, MessageStart, StreamEvent } from '../../core/event.ts';
import type { JsonObject } from '../../core/json.ts';
import { textOf } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import { ownResponse } from '../error-response.ts';
import { JsonField } from '../json-field.ts';
import { openaiChatServer } from '../openai-chat/server.ts';
import { encodeStopReason, encodeUsage } from '../openai-chat/types.ts';
import { encodeSse } from '../sse.ts';
import type { EncodeResponseOptions, StreamEncoder, WireServer } from '../wire.ts';
import { ownFields, promptText, wireName } from './types.ts';

export const openaiCompletionsServer: WireServer = {
  ...openaiChatServer,
  name: wireName,
  decodeRequest,
  encodeStream: (options) => new CompletionEncoder(options),
  encodeBody,
  encodeError: (error) => ownResponse(error, wireName) ?? openaiChatServer.encodeError(error),
};

/** Fields of the chat API, which this API does not have. */
const chatFields = ['messages', 'tools', 'tool_choice', 'response_format', 'functions', 'function_call'];

function decodeRequest(body: unknown): ChatRequest {
  const root = new JsonField(body);
  for (const name of chatFields) {
    root.optionalMember(name, (field) => field.fail('is not a field of completions; use /v1/chat/completions'));
  }
  checkPrompt(root.get('prompt'));
  const members = root.json();
  const { prompt, ...rest } = members;
  const content = promptText(prompt);
  const own = Object.keys(ownFields);
  const shared = Object.fromEntries(Object.entries(rest).filter(([name]) => !own.includes(name)));
  const messages = content === undefined ? [] : [{ role: 'user', content }];
  const { model: _model, stream: _stream, user: _user, ...completion } = members;
  return { ...openaiChatServer.decodeRequest({ ...shared, messages }), completion };
}

/** A text, a list of tokens, or a list of either. */
function checkPrompt(field: JsonField): void {
  const prompts = Array.isArray(field.value) ? field.items() : [field];
  if (prompts.length === 0) field.fail('must have a prompt');
  for (const prompt of prompts) {
    if (Array.isArray(prompt.value) || (typeof prompt.value === 'number' && prompts[0] !== field)) continue;
    if (!prompt.string().isWellFormed()) prompt.fail('must be valid Unicode, without lone surrogates');
  }
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
    return encodeSse(JSON.stringify(openaiCompletionsServer.encodeError(error).body));
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
