// What a library user may write, and what it comes down to. A string stands for a message, a list of messages
// for a request.

import { SimpleAgentsError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import { text, type Block, type Message, type Role } from '../core/message.ts';
import type { ChatRequest } from '../core/request.ts';
import type { SchemaInput } from '../heal/index.ts';
import { toResponseFormat } from './schema.ts';
import type { HealingOptions } from './typed.ts';

export interface MessageInput {
  readonly role: Role;
  readonly content: string | readonly Block[];
}

export interface RequestInput extends Omit<ChatRequest, 'model' | 'messages'> {
  /** An alias, `provider/model`, or a model's own name; left out, the client's default. */
  readonly model?: string;
  readonly messages: string | readonly MessageInput[];
  /** Shorthand for a system message at the front. */
  readonly system?: string;
  readonly signal?: AbortSignal;
}

/** A request whose answer shall be a value of a schema. */
export interface TypedRequestInput<S extends SchemaInput = SchemaInput> extends Omit<RequestInput, 'responseFormat'> {
  /** From zod, from another library that gives JSON Schema, or a JSON Schema itself. */
  readonly schema: S;
  /** How the answer is healed; goes before what the client says. */
  readonly healing?: HealingOptions;
}

/** A prompt, a list of messages, or a whole request. */
export type Ask = string | readonly MessageInput[] | RequestInput;

export function toChatRequest(ask: Ask | TypedRequestInput, model: string | undefined, stream: boolean): ChatRequest {
  const { messages, system, signal: _signal, ...rest } = toRequestInput(ask);
  const list = toMessages(messages);
  if (list.length === 0)
    throw new SimpleAgentsError('bad-request', 'messages: must not be empty', { field: 'messages' });
  return {
    ...rest,
    model: rest.model ?? model ?? '',
    messages: system === undefined ? list : [{ role: 'system', content: [text(system)] }, ...list],
    stream,
  };
}

export function isTyped(ask: Ask | TypedRequestInput): ask is TypedRequestInput {
  return typeof ask === 'object' && 'schema' in ask && ask.schema !== undefined;
}

export function signalOf(ask: Ask | TypedRequestInput): AbortSignal | undefined {
  return typeof ask === 'object' && 'signal' in ask ? ask.signal : undefined;
}

function toRequestInput(ask: Ask | TypedRequestInput): RequestInput {
  if (typeof ask === 'string' || isList(ask)) return { messages: ask };
  return isTyped(ask) ? toUntyped(ask) : ask;
}

/** What is asked of the model when the answer shall be typed. */
function toUntyped({ schema, healing: _healing, ...ask }: TypedRequestInput): RequestInput {
  if ('responseFormat' in ask) {
    throw new SimpleAgentsError('bad-request', 'responseFormat: cannot stand beside schema; keep one', {
      field: 'responseFormat',
    });
  }
  return { ...ask, responseFormat: toResponseFormat(schema) };
}

function isList(ask: Ask | TypedRequestInput): ask is readonly MessageInput[] {
  return Array.isArray(ask);
}

function toMessages(messages: RequestInput['messages']): Message[] {
  if (typeof messages === 'string') return [{ role: 'user', content: [text(messages)] }];
  if (!Array.isArray(messages)) {
    throw new SimpleAgentsError('bad-request', 'messages: must be a string or an array', { field: 'messages' });
  }
  return messages.map(toMessage);
}

const roles: readonly string[] = ['system', 'user', 'assistant'];

/** TypeScript has checked this already; programs in JavaScript have not. */
function toMessage(message: MessageInput, index: number): Message {
  const field = `messages[${index}]`;
  if (!isRecord(message) || !roles.includes(message.role)) {
    throw new SimpleAgentsError('bad-request', `${field}.role: must be one of ${roles.join(', ')}`, { field });
  }
  const { role, content } = message;
  if (typeof content === 'string') return { role, content: content === '' ? [] : [text(content)] };
  if (!Array.isArray(content)) {
    throw new SimpleAgentsError('bad-request', `${field}.content: must be a string or an array of blocks`, { field });
  }
  return { role, content };
}
