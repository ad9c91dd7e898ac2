// The client side of OpenAI's legacy completions API. A response differs from that of a chat only in its choices, which have
// a text instead of a message, so it is read as a chat.

import { isRecord, omitUndefined } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import type { ChatRequest } from '../../core/request.ts';
import { decoderOf, type StreamMachine } from '../decoder.ts';
import { ChatMachine, frameScan, openaiChat } from '../openai-chat/client.ts';
import { decodeStopReason, decodeUsage, type OpenaiBody, type OpenaiChoice } from '../openai-chat/types.ts';
import { SseScanner } from '../scanner.ts';
import type { BodySummary, DecodeOptions, EncodedRequest, EncodeOptions, WireClient } from '../wire.ts';
import { wireName } from './types.ts';

export const openaiCompletions: WireClient = {
  ...openaiChat,
  name: wireName,
  path: '/completions',
  findUnsupported: () => undefined,
  encodeRequest,
  decodeStream: (options) => decoderOf(new CompletionMachine(options)),
  decodeBody: (body, options) => openaiChat.decodeBody(toChat(body, 'message'), options),
  summarizeBody,
  scanStream: () => new SseScanner({ ...frameScan, parse: (data) => toChat(frameScan.parse(data), 'delta') }),
};

/** The client's own body, with what the gateway decides. */
function encodeRequest(request: ChatRequest, { quirks = {} }: EncodeOptions = {}): EncodedRequest {
  const { model, completion = {}, maxTokens, user, stream = true } = request;
  const { stream_options: options } = completion;
  const isUsageAsked = stream && !quirks.noStreamOptions;
  const body = omitUndefined({
    ...completion,
    model,
    max_tokens: maxTokens,
    user: quirks.noUser ? undefined : user,
    stream,
    // Providers send usage in a stream only on request.
    stream_options: isUsageAsked ? { ...(isRecord(options) ? options : {}), include_usage: true } : undefined,
  });
  return { body, losses: [], dropped: [] };
}

class CompletionMachine implements StreamMachine {
  readonly #chat: ChatMachine;
  readonly sink: StreamMachine['sink'];

  constructor(options?: DecodeOptions) {
    this.#chat = new ChatMachine(options);
    this.sink = this.#chat.sink;
  }

  onData(data: string): void {
    if (data === '[DONE]') return this.onEnd();
    const body: unknown = JSON.parse(data);
    if (!isRecord(body)) throw new SyntaxError();
    this.#chat.chunk(toChat(body, 'delta'));
  }

  onEnd(): void {
    this.#chat.onEnd();
  }
}

function toChat(body: unknown, member: 'message' | 'delta'): OpenaiBody {
  const completion = (isRecord(body) ? body : {}) as OpenaiBody;
  if (!Array.isArray(completion.choices)) return completion;
  return { ...completion, choices: completion.choices.map((choice: unknown) => toChatChoice(choice, member)) };
}

function toChatChoice(choice: unknown, member: 'message' | 'delta'): OpenaiChoice {
  const { text, ...rest } = isRecord(choice) ? choice : {};
  return typeof text === 'string' ? { ...rest, [member]: { content: text } } : rest;
}

/** Also for several choices, which pass unread. */
function summarizeBody(body: unknown): BodySummary | undefined {
  const { choices, usage, error } = (isRecord(body) ? body : {}) as OpenaiBody;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (error || !isRecord(choice) || typeof choice['finish_reason'] !== 'string') return undefined;
  if (typeof choice['text'] !== 'string') return undefined;
  const stopReason = decodeStopReason(choice['finish_reason'], false);
  return { stopReason, usage: isRecord(usage) ? decodeUsage(usage) : noUsage };
}
