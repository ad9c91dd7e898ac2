// Decodes a request of the OpenAI Responses wire, sent by one of our own clients, into a `ChatRequest`.
// Strict: an invalid field throws `bad-request` naming it. Fields, items and values that are newer than this file are kept
// in `extra` and in opaque blocks, for providers that speak the same wire. `server-input.ts` decodes the items.

import { isRecord, omitUndefined } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import {
  reasoningEfforts,
  type ChatRequest,
  type OpaqueTool,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { addMember, JsonField, unknownMembers } from '../json-field.ts';
import { itemMember } from '../loss.ts';
import { formatTypes, isKnownFormat } from '../openai-content.ts';
import { decodeInput } from './server-input.ts';
import { customSchema, wireName } from './types.ts';

const origin = { wire: wireName };

type MutableRequest = { -readonly [Key in keyof ChatRequest]: ChatRequest[Key] };

function ignore(): void {}

/** The reader of each member. Other members are kept for this wire. */
const readers: ReadonlyMap<string, (field: JsonField, request: MutableRequest) => void> = new Map(
  Object.entries({
    model: ignore,
    input: ignore,
    instructions: ignore,
    tools: (field, request) => (request.tools = field.items().map(decodeTool)),
    tool_choice: decodeToolChoice,
    parallel_tool_calls: (field, request) => (request.parallelToolCalls = field.boolean()),
    max_output_tokens: (field, request) => (request.maxTokens = field.positive()),
    text: decodeText,
    reasoning: decodeReasoningOptions,
    temperature: (field, request) => (request.temperature = field.number()),
    top_p: (field, request) => (request.topP = field.number()),
    user: (field, request) => (request.user = field.string()),
    stream: (field, request) => (request.stream = field.boolean()),
    store: (field, request) => carry(request, 'store', field.boolean()),
    background: (field, request) => carry(request, 'background', field.boolean()),
    previous_response_id: (field, request) => carry(request, 'previous_response_id', field.string()),
  } satisfies Record<string, (field: JsonField, request: MutableRequest) => void>),
);

export function decodeRequest(body: unknown): ChatRequest {
  const root = new JsonField(body);
  const members = root.object();
  const request: MutableRequest = {
    model: root.optionalMember('model', (field) => field.string()) ?? '',
    messages: [
      ...(root.optionalMember('instructions', decodeInstructions) ?? []),
      ...(root.optionalMember('input', decodeInput) ?? requireContext(root)),
    ],
    stream: false,
    extra: { [wireName]: {} },
  };
  for (const name of Object.keys(members)) {
    const read = readers.get(name);
    if (read === undefined) carry(request, name, members[name]);
    else if (read !== ignore) root.optionalMember(name, (field) => read(field, request));
  }
  return request;
}

/** Without input, the provider must have the conversation. */
function requireContext(root: JsonField): Message[] {
  const { previous_response_id: previous, prompt, conversation } = root.object();
  return previous || prompt || conversation ? [] : root.get('input').fail('must be a string or an array');
}

/** Keeps a field, or a value of one, that only this wire has. */
function carry(request: MutableRequest, name: string, value: unknown): void {
  const own = request.extra?.[wireName] ?? {};
  addMember(own, name, value);
  request.extra = { [wireName]: own };
}

function decodeInstructions(field: JsonField): Message[] {
  if (typeof field.value !== 'string') return decodeInput(field);
  return field.value === '' ? [] : [{ role: 'system', content: [{ type: 'text', text: field.value }] }];
}

/** The format is translated, the verbosity reported where it is lost, and other members are kept for this wire. */
function decodeText(field: JsonField, request: MutableRequest): void {
  const { format, verbosity, ...rest } = field.object();
  if (isKnownFormat(format)) field.optionalMember('format', (value) => (request.responseFormat = decodeFormat(value)));
  const text = { ...rest, ...(isKnownFormat(format) ? {} : { format }) };
  if (Object.keys(text).length > 0) carry(request, 'text', text);
  if (verbosity !== undefined && verbosity !== null) carry(request, 'verbosity', field.get('verbosity').string());
}

function decodeFormat(field: JsonField): ResponseFormat {
  const type = field.get('type').oneOf(formatTypes);
  if (type === 'text') return { type };
  if (type === 'json_object') return { type: 'json' };
  return omitUndefined({
    type: 'json-schema',
    name: field.get('name').string(),
    description: field.optionalMember('description', (value) => value.string()),
    schema: field.get('schema').json(),
    strict: field.optionalMember('strict', (value) => value.boolean()),
  });
}

/** Kept unchanged for this wire, because `ChatRequest` has only the effort. */
function decodeReasoningOptions(field: JsonField, request: MutableRequest): void {
  const value = field.optionalMember('effort', (effort) => effort.string());
  const effort = reasoningEfforts.find((known) => known === value);
  if (effort !== undefined) request.reasoning = { effort };
  carry(request, 'reasoning', field.object());
}

function decodeTool(field: JsonField): ToolDefinition | OpaqueTool {
  switch (field.get('type').string()) {
    case 'function':
      return decodeFunction(field);
    case 'custom':
      return decodeCustomTool(field);
    default: {
      const tool = { type: 'opaque', origin, data: field.json() } as const;
      return optionalTools.has(String(field.object()['type'])) ? { ...tool, isOptional: true } : tool;
    }
  }
}

/** Tools that coding agents offer with every request, whatever the model can do. */
const optionalTools: ReadonlySet<string> = new Set(['image_generation', 'namespace', 'tool_search', 'web_search']);

const functionFields = new Set(['type', 'name', 'description', 'parameters', 'strict']);

function decodeFunction(field: JsonField): ToolDefinition {
  const { strict } = field.object();
  const unknown = unknownMembers(field.object(), functionFields);
  const members = strict === null ? { ...unknown, strict } : unknown;
  return omitUndefined({
    name: field.get('name').string(),
    description: field.optionalMember('description', (value) => value.string()),
    inputSchema: field.optionalMember('parameters', (value) => value.json()) ?? { type: 'object', properties: {} },
    strict: field.optionalMember('strict', (value) => value.boolean()),
    extra: members && { wire: wireName, members },
  });
}

/** A function for other wires. A grammar cannot be enforced there, so the description contains it. */
function decodeCustomTool(field: JsonField): ToolDefinition {
  const { name: _name, ...tool } = field.object();
  const { format } = tool;
  const description = field.optionalMember('description', (value) => value.string());
  const grammar = isRecord(format) && format['type'] === 'grammar' ? format : undefined;
  const { syntax, definition } = grammar ?? {};
  const rule = grammar && `The input must match this ${String(syntax)} grammar:\n${String(definition)}`;
  const paragraphs = [description, rule].filter((paragraph) => paragraph !== undefined);
  return omitUndefined({
    name: field.get('name').string(),
    description: paragraphs.length === 0 ? undefined : paragraphs.join('\n\n'),
    inputSchema: customSchema,
    extra: { wire: wireName, members: omitUndefined({ format: grammar, [itemMember]: tool }) },
  });
}

function decodeToolChoice(field: JsonField, request: MutableRequest): void {
  const { value } = field;
  if (typeof value === 'string') request.toolChoice = field.oneOf(['auto', 'none', 'required']);
  else if (['function', 'custom'].includes(field.get('type').string())) request.toolChoice = namedChoice(field);
  else carry(request, 'tool_choice', value);
}

function namedChoice(field: JsonField): ToolChoice {
  return { name: field.get('name').string() };
}

/** A request to count tokens needs neither a stream nor storage. */
export function decodeCountRequest(body: unknown): ChatRequest {
  const { stream: _stream, ...members } = new JsonField(body).object();
  return decodeRequest(members);
}
