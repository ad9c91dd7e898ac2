// Decodes the items of a conversation of the OpenAI Responses wire into messages. Strict, as `server-request.ts`. Items and
// content parts that are newer than this file become opaque blocks.

import { parseToolCall } from '../../core/assembler.ts';
import { omitUndefined } from '../../core/json.ts';
import type {
  Block,
  CacheMarker,
  ImageBlock,
  Message,
  ReasoningBlock,
  ToolResultBlock,
  WireExtra,
} from '../../core/message.ts';
import { openReasoning } from '../foreign-reasoning.ts';
import { unknownMembers, type JsonField } from '../json-field.ts';
import { itemMember, writtenArguments } from '../loss.ts';
import { decodeFileData, decodeImageUrl, decodeMarker } from '../openai-content.ts';
import { decodeImageItem } from './image-item.ts';
import { isResultType, joinParts, partSeparator, wireName, type ResponsesPart } from './types.ts';

const origin = { wire: wireName };

export function decodeInput(field: JsonField): Message[] {
  if (typeof field.value === 'string') return [{ role: 'user', content: [{ type: 'text', text: field.value }] }];
  const builder = new ConversationBuilder();
  for (const item of field.items()) addItem(item, builder);
  return builder.messages;
}

/** Joins the items of one turn: those of the assistant in one message, and its tool results in another. */
class ConversationBuilder {
  readonly messages: Message[] = [];
  #open: { readonly role: 'assistant' | 'user'; readonly content: Block[] } | undefined;

  add(role: 'assistant' | 'user', blocks: readonly Block[]): void {
    if (this.#open?.role !== role) {
      this.#open = { role, content: [] };
      this.messages.push(this.#open);
    }
    this.#open.content.push(...blocks);
  }

  /** A message of the user or the system. The user's message joins the tool results before it. */
  say(message: Message): void {
    const results = this.#open?.role === 'user' && message.role === 'user' ? this.#open.content : undefined;
    if (results !== undefined) this.messages.pop();
    this.messages.push(results === undefined ? message : { ...message, content: [...results, ...message.content] });
    this.#open = undefined;
  }
}

function addItem(field: JsonField, builder: ConversationBuilder): void {
  const { type, role } = field.object();
  switch (type ?? (role === undefined ? 'item_reference' : 'message')) {
    case 'message':
      return addMessage(field, builder);
    case 'function_call':
      return builder.add('assistant', [decodeCall(field)]);
    case 'custom_tool_call':
      return builder.add('assistant', [decodeCustomCall(field)]);
    case 'reasoning':
      return builder.add('assistant', [decodeReasoning(field)]);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return builder.add('user', [decodeResult(field)]);
    default: {
      const image = decodeImageItem(field.object());
      if (image !== undefined) return builder.add('assistant', [image]);
      return builder.add(isResultType(field.get('type').string()) ? 'user' : 'assistant', [
        { type: 'opaque', origin, data: field.json() },
      ]);
    }
  }
}

const roles = ['user', 'assistant', 'system', 'developer'] as const;
const messageFields = new Set(['type', 'role', 'content']);

function addMessage(field: JsonField, builder: ConversationBuilder): void {
  const role = field.get('role').oneOf(roles);
  const content = decodeContent(field.get('content'));
  const item = unknownMembers(field.object(), messageFields);
  if (role === 'assistant') return builder.add(role, withItem(content, item));
  if (role === 'user') return builder.say(omitUndefined({ role, content, extra: item && itemExtra(item) }));
  // The role marks it as an item; instructions have none.
  builder.say({ role: 'system', content, extra: itemExtra({ ...item, role }) });
}

/** Stores the item's id and state in the first text of its message. */
function withItem(content: readonly Block[], item: Record<string, unknown> | undefined): readonly Block[] {
  const [first, ...rest] = content;
  if (item === undefined || first?.type !== 'text') return content;
  return [{ ...first, extra: { wire: wireName, members: { ...first.extra?.members, [itemMember]: item } } }, ...rest];
}

function itemExtra(item: object): WireExtra {
  return { wire: wireName, members: { [itemMember]: item } };
}

function itemOf(field: JsonField, known: ReadonlySet<string>, more: object = {}): WireExtra | undefined {
  const item = unknownMembers(field.object(), known);
  const members = { ...more, ...(item === undefined ? {} : { [itemMember]: item }) };
  return Object.keys(members).length === 0 ? undefined : { wire: wireName, members };
}

const callFields = new Set(['type', 'call_id', 'name', 'arguments', 'input']);
const resultFields = new Set(['type', 'call_id', 'output']);

function decodeCall(field: JsonField): Block {
  const [id, name] = [field.get('call_id').string(), field.get('name').string()];
  const written = field.get('arguments').string();
  const call = parseToolCall(id, name, written);
  const extra = itemOf(field, callFields, writtenArguments(call, written));
  return extra === undefined ? call : { ...call, extra };
}

/** The type is kept, because the tool may no longer be offered. */
function decodeCustomCall(field: JsonField): Block {
  const [id, name] = [field.get('call_id').string(), field.get('name').string()];
  const extra = itemExtra({ ...unknownMembers(field.object(), callFields), type: 'custom_tool_call' });
  return { type: 'tool-call', id, name, input: { input: field.get('input').string() }, extra };
}

function decodeResult(field: JsonField): ToolResultBlock {
  const output = field.get('output');
  const content = decodeContent(output).filter(
    (block) => block.type === 'text' || block.type === 'image' || block.type === 'document' || block.type === 'opaque',
  );
  const callId = field.get('call_id').string();
  return omitUndefined({ type: 'tool-result', callId, content, extra: itemOf(field, resultFields) });
}

const reasoningFields = new Set(['type', 'summary', 'content', 'encrypted_content']);

/** Reasoning that another wire's provider created is restored as that provider sent it. */
function decodeReasoning(field: JsonField): ReasoningBlock {
  const signature = field.optionalMember('encrypted_content', (value) => value.string());
  const foreign = openReasoning(signature);
  if (foreign !== undefined) return foreign;
  const summary = field.optionalMember('summary', decodeParts) ?? [];
  const content = field.optionalMember('content', decodeParts) ?? [];
  const text = [joinParts(summary), joinParts(content)].filter((part) => part !== '').join(partSeparator);
  const isText = summary.every((part) => Object.keys(part).every((name) => name === 'type' || name === 'text'));
  const parts =
    isText && summary.length <= 1 && content.length === 0
      ? {}
      : omitUndefined({ summary, content: content.length === 0 ? undefined : content });
  const members = { ...unknownMembers(field.object(), reasoningFields), ...parts };
  const extra = Object.keys(members).length === 0 ? undefined : { wire: wireName, members };
  return omitUndefined({ type: 'reasoning', text, signature, origin, extra });
}

function decodeParts(field: JsonField): ResponsesPart[] {
  return field.items().map((part) => {
    part.get('text').string();
    return part.json();
  });
}

function decodeContent(field: JsonField): Block[] {
  if (typeof field.value === 'string') return field.value === '' ? [] : [{ type: 'text', text: field.value }];
  return field.items().map(decodePart);
}

const textFields = new Set(['type', 'text', 'prompt_cache_breakpoint']);
const imageFields = new Set(['type', 'image_url', 'file_id', 'detail', 'prompt_cache_breakpoint']);
const fileFields = new Set(['type', 'file_id', 'file_url', 'file_data', 'filename', 'prompt_cache_breakpoint']);

function decodePart(field: JsonField): Block {
  switch (field.get('type').string()) {
    case 'input_text':
    case 'output_text': {
      const more = { cache: decodeCache(field), extra: partExtra(field, textFields) };
      return omitUndefined({ type: 'text', text: field.get('text').string(), ...more });
    }
    case 'refusal':
      return { type: 'text', text: field.get('refusal').string() };
    case 'input_image':
      return decodeImage(field);
    case 'input_file':
      return decodeFile(field);
    default:
      return { type: 'opaque', origin, data: field.json() };
  }
}

/** Annotations and log probabilities of the model's own text have no effect when they are sent back. */
function partExtra(field: JsonField, known: ReadonlySet<string>): WireExtra | undefined {
  const members = unknownMembers(field.object(), known);
  if (members === undefined) return undefined;
  const { annotations: _annotations, logprobs: _logprobs, ...rest } = members;
  return Object.keys(rest).length === 0 ? undefined : { wire: wireName, members: rest };
}

function decodeImage(field: JsonField): ImageBlock {
  const more = {
    detail: field.optionalMember('detail', (value) => value.string()),
    cache: decodeCache(field),
    extra: partExtra(field, imageFields),
  };
  const id = field.optionalMember('file_id', (value) => value.string());
  if (id !== undefined) return omitUndefined({ type: 'image', source: { kind: 'file', id }, ...more });
  return omitUndefined({ type: 'image', source: decodeImageUrl(field.get('image_url')), ...more });
}

function decodeFile(field: JsonField): Block {
  const more = { cache: decodeCache(field), extra: partExtra(field, fileFields) };
  const id = field.optionalMember('file_id', (value) => value.string());
  if (id !== undefined) return omitUndefined({ type: 'document', source: { kind: 'file', id }, ...more });
  const title = field.optionalMember('filename', (value) => value.string());
  const url = field.optionalMember('file_url', (value) => value.string());
  if (url !== undefined) return omitUndefined({ type: 'document', source: { kind: 'url', url }, title, ...more });
  return omitUndefined({ type: 'document', source: decodeFileData(field.get('file_data')), title, ...more });
}

function decodeCache(field: JsonField): CacheMarker | undefined {
  return field.optionalMember('prompt_cache_breakpoint', decodeMarker);
}
