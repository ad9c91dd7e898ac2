// The items of a response's output, made from blocks. The stream and the plain body share them.
// Invariant: an item's id follows from the id of its response and its position, so both forms of a response agree.

import type { JsonObject } from '../../core/json.ts';
import type { AudioBlock, Block, ImageBlock, ReasoningBlock, ToolCallBlock } from '../../core/message.ts';
import { argumentsOf } from '../../core/message.ts';
import { sealReasoning } from '../foreign-reasoning.ts';
import { toMediaNote } from '../made-media.ts';
import { membersFor } from '../response-extra.ts';
import { encodeImageItem } from './image-item.ts';
import { annotationsOf, customInput, wireName } from './types.ts';

export type ItemKind = 'message' | 'reasoning' | 'function' | 'custom';

const idPrefixes: Readonly<Record<ItemKind | 'image', string>> = {
  message: 'msg',
  reasoning: 'rs',
  function: 'fc',
  custom: 'ctc',
  image: 'ig',
};

/** The API accepts ids of up to 64 characters. The first characters of a response's id identify it. */
const uniqueLength = 24;

export function itemId(kind: keyof typeof idPrefixes, responseId: string, position: number): string {
  return `${idPrefixes[kind]}_${responseId.replace(/^resp_/, '').slice(0, uniqueLength)}_${position}`;
}

const ownItemId = new RegExp(String.raw`^[a-z]+_[\w-]{${uniqueLength}}_\d+$`);

/** Whether the gateway created the id, whose responses have long ids. A provider does not know it. */
export function isOwnItemId(id: string): boolean {
  return ownItemId.test(id);
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function textPart(text: string, annotations: readonly JsonObject[] = []): JsonObject {
  return { type: 'output_text', text, annotations, logprobs: [] };
}

export function messageItem(id: string, status: ItemStatus, content: readonly JsonObject[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content };
}

/** The parts that the provider sent, if there are several; otherwise the text as one. */
export function reasoningItem(id: string, block: ReasoningBlock): JsonObject {
  const { id: own = id, ...parts } = membersFor(block.extra, wireName) as { readonly id?: string };
  const summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }];
  const { signature, redacted } = sealReasoning(block, wireName);
  const encrypted = signature ?? redacted;
  const secret = encrypted === undefined ? {} : { encrypted_content: encrypted };
  return { id: own, type: 'reasoning', summary, ...parts, ...secret };
}

export interface CallItem {
  readonly id: string;
  readonly callId: string;
  readonly name: string;
}

export function functionItem({ id, callId, name }: CallItem, status: ItemStatus, json: string): JsonObject {
  return { id, type: 'function_call', status, arguments: json, call_id: callId, name };
}

export function customItem({ id, callId, name }: CallItem, status: ItemStatus, input: string): JsonObject {
  return { id, type: 'custom_tool_call', status, call_id: callId, input, name };
}

export interface OutputContext {
  readonly responseId: string;
  readonly custom: ReadonlySet<string>;
}

/** The items of a complete message. What this wire cannot express is left out. */
export function encodeOutput(content: readonly Block[], context: OutputContext): JsonObject[] {
  const output: JsonObject[] = [];
  for (const block of content) {
    const item = encodeBlock(block, output.length, context);
    if (item !== undefined) output.push(item);
  }
  return output;
}

function encodeBlock(block: Block, position: number, context: OutputContext): JsonObject | undefined {
  const idOf = (kind: Parameters<typeof itemId>[0]): string => itemId(kind, context.responseId, position);
  switch (block.type) {
    case 'text':
      return messageItem(idOf('message'), 'completed', [textPart(block.text, annotationsOf(block))]);
    case 'reasoning':
      return reasoningItem(idOf('reasoning'), block);
    case 'tool-call':
      return encodeCall(block, context.custom.has(block.name) ? idOf('custom') : idOf('function'), context);
    case 'opaque':
      return block.origin.wire === wireName ? (block.data as JsonObject) : undefined;
    case 'image':
      return encodeImageItem(idOf('image'), block) ?? noteItem(idOf('message'), block);
    case 'audio':
      return noteItem(idOf('message'), block);
    default:
      return undefined;
  }
}

function noteItem(id: string, block: ImageBlock | AudioBlock): JsonObject {
  return messageItem(id, 'completed', [textPart(toMediaNote(block))]);
}

/** A call whose arguments are not JSON was cut off by the token limit, or the model made a mistake. */
function encodeCall(block: ToolCallBlock, id: string, { custom }: OutputContext): JsonObject {
  const call = { id, callId: block.id, name: block.name };
  return custom.has(block.name)
    ? customItem(call, 'completed', customInput(block))
    : functionItem(call, 'completed', argumentsOf(block));
}
