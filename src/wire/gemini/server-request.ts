// Decodes a request of Google's Gemini wire, sent by one of our own clients, into a `ChatRequest`. The model and whether
// the response is streamed are in the path: the route adds them to the body, as `model` and `stream`.
// Strict: an invalid field throws `bad-request` naming it. Fields and values that are newer than this file are kept in
// `extra`, for providers that speak the same wire. `server-content.ts` decodes the contents.

import { isRecord, omitUndefined, type JsonSchema } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import {
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type Reasoning,
  type ReasoningEffort,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { addMember, extraOf, JsonField } from '../json-field.ts';
import { camelCased } from './camel-case.ts';
import { decodeContents, decodeText } from './server-content.ts';
import { toJsonSchema } from './schema.ts';
import { wireName, wordType } from './types.ts';

const origin = { wire: wireName };

type MutableRequest = { -readonly [Key in keyof ChatRequest]: ChatRequest[Key] };
type Reader = (field: JsonField, request: MutableRequest) => void;

function ignore(): void {}

/** The reader of each member. Other members are kept for this wire. */
const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries({
    model: ignore,
    stream: ignore,
    contents: ignore,
    systemInstruction: ignore,
    tools: (field, request) => (request.tools = field.items().flatMap(decodeTool)),
    toolConfig: decodeToolConfig,
    generationConfig: decodeGeneration,
  } satisfies Record<string, Reader>),
);

/** The reader of each member of the generation configuration. */
const generationReaders: ReadonlyMap<string, Reader> = new Map(
  Object.entries({
    maxOutputTokens: (field, request) => (request.maxTokens = field.positive()),
    temperature: (field, request) => (request.temperature = field.number()),
    topP: (field, request) => (request.topP = field.number()),
    stopSequences: (field, request) => (request.stop = field.items().map((item) => item.string())),
    seed: (field, request) => (request.seed = field.integer()),
    candidateCount: decodeChoices,
    responseMimeType: ignore,
    responseSchema: ignore,
    responseJsonSchema: ignore,
    thinkingConfig: decodeThinking,
  } satisfies Record<string, Reader>),
);

export function decodeRequest(body: unknown): ChatRequest {
  const root = new JsonField(camelCased(body));
  const members = root.object();
  const request: MutableRequest = {
    model: root.optionalMember('model', (field) => field.string()) ?? '',
    messages: [
      ...(root.optionalMember('systemInstruction', decodeSystem) ?? []),
      ...decodeContents(root.get('contents')),
    ],
    stream: root.optionalMember('stream', (field) => field.boolean()) ?? false,
    extra: { [wireName]: {} },
  };
  for (const name of Object.keys(members)) {
    const read = readers.get(name);
    if (read === undefined) carry(request, name, members[name]);
    else if (read !== ignore) root.optionalMember(name, (field) => read(field, request));
  }
  if (isValidated(members['toolConfig']) && request.tools !== undefined) request.tools = request.tools.map(asStrict);
  return request;
}

/** Whether the API enforces the schemas of all tools. */
function isValidated(toolConfig: unknown): boolean {
  const calling = isRecord(toolConfig) ? toolConfig['functionCallingConfig'] : undefined;
  return isRecord(calling) && String(calling['mode']).toUpperCase() === 'VALIDATED';
}

/** Other APIs enforce only schemas whose objects are closed and have no optional members. */
function asStrict(tool: ToolDefinition | OpaqueTool): ToolDefinition | OpaqueTool {
  return !isOpaqueTool(tool) && isStrictSchema(tool.inputSchema) ? { ...tool, strict: true } : tool;
}

function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isRecord(schema)) return true;
  const { properties, required = [], additionalProperties } = schema;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const isClosed =
    additionalProperties === false && Array.isArray(required) && names.every((name) => required.includes(name));
  return (schema['type'] !== 'object' || isClosed) && Object.values(schema).every(isStrictSchema);
}

/** Keeps a field, or a value of one, that only this wire has. */
function carry(request: MutableRequest, name: string, value: unknown): void {
  const own = request.extra?.[wireName] ?? {};
  addMember(own, name, value);
  request.extra = { [wireName]: own };
}

function decodeSystem(field: JsonField): Message[] {
  const content = field.get('parts').items().map(decodeText);
  return content.length === 0 ? [] : [{ role: 'system', content }];
}

function decodeChoices(field: JsonField, request: MutableRequest): void {
  const choices = field.positive();
  if (choices > 1) request.choices = choices;
}

function decodeGeneration(field: JsonField, request: MutableRequest): void {
  const members = field.object();
  for (const name of Object.keys(members)) {
    const read = generationReaders.get(name);
    if (read === undefined) carry(request, `generationConfig.${name}`, members[name]);
    else if (read !== ignore) field.optionalMember(name, (value) => read(value, request));
  }
  decodeFormat(field, request);
}

const formatTypes = ['text/plain', 'application/json', wordType];

/** A type that only this wire has is kept for it, with its schema. */
function decodeFormat(field: JsonField, request: MutableRequest): void {
  const type = field.optionalMember('responseMimeType', (value) => value.string());
  if (type !== undefined && !formatTypes.includes(type)) {
    for (const name of ['responseMimeType', ...schemaFields]) {
      field.optionalMember(name, ({ value }) => carry(request, `generationConfig.${name}`, value));
    }
    return;
  }
  const format = type === wordType ? decodeWords(field) : toFormat(type, decodeSchema(field));
  if (format !== undefined) request.responseFormat = format;
}

const schemaFields = ['responseJsonSchema', 'responseSchema'] as const;

function decodeSchema(field: JsonField): JsonSchema | undefined {
  return (
    field.optionalMember('responseJsonSchema', (value) => value.json()) ??
    field.optionalMember('responseSchema', (value) => toJsonSchema(value.json()))
  );
}

/** One of several words. */
function decodeWords(field: JsonField): ResponseFormat {
  const name = schemaFields.find((known) => !field.get(known).isAbsent) ?? 'responseSchema';
  const schema = field.get(name);
  const words = schema.get('enum').items();
  if (words.length === 0) schema.get('enum').fail('must not be empty');
  const description = schema.optionalMember('description', (value) => value.string());
  const strings = words.map((word) => word.string());
  return { type: 'json-schema', schema: omitUndefined({ type: 'string', description, enum: strings }), isBare: true };
}

function toFormat(type: string | undefined, schema: JsonSchema | undefined): ResponseFormat | undefined {
  if (schema !== undefined) return { type: 'json-schema', schema };
  if (type === 'application/json') return { type: 'json' };
  return type === 'text/plain' ? { type: 'text' } : undefined;
}

const levels: Readonly<Record<string, ReasoningEffort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
};

/** Kept unchanged for this wire, because `ChatRequest` does not say whether thoughts are shown. */
function decodeThinking(field: JsonField, request: MutableRequest): void {
  carry(request, 'generationConfig.thinkingConfig', field.object());
  const budget = field.optionalMember('thinkingBudget', (value) => value.integer());
  const level = field.optionalMember('thinkingLevel', (value) => value.string().toUpperCase());
  const reasoning = toReasoning(budget, level === undefined ? undefined : levels[level]);
  if (reasoning !== undefined) request.reasoning = reasoning;
}

/** A negative budget means that the model decides, as without one. */
function toReasoning(budget: number | undefined, effort: ReasoningEffort | undefined): Reasoning | undefined {
  if (effort !== undefined) return { effort };
  if (budget === undefined || budget < 0) return undefined;
  return budget === 0 ? { effort: 'none' } : { budgetTokens: budget };
}

/** One entry may declare functions and offer tools that run at the provider. */
function decodeTool(field: JsonField): (ToolDefinition | OpaqueTool)[] {
  const { functionDeclarations: _functions, ...others } = field.object();
  const functions = field.optionalMember('functionDeclarations', (list) => list.items().map(decodeFunction)) ?? [];
  const present = Object.entries(others).filter(([, value]) => value !== null);
  const opaque = present.map(([type, value]): OpaqueTool => {
    return { type: 'opaque', origin, data: { [type]: value as ReturnType<JsonField['json']> } };
  });
  return [...functions, ...opaque];
}

const functionFields = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

/** A function without parameters has no schema. */
function decodeFunction(field: JsonField): ToolDefinition {
  return omitUndefined({
    name: field.get('name').string(),
    description: field.optionalMember('description', (value) => value.string()),
    inputSchema: field.optionalMember('parametersJsonSchema', (value) => value.json()) ??
      field.optionalMember('parameters', (value) => toJsonSchema(value.json())) ?? { type: 'object', properties: {} },
    extra: extraOf(field, wireName, functionFields),
  });
}

/** Kept unchanged for this wire, because it has modes that `ChatRequest` does not have. */
function decodeToolConfig(field: JsonField, request: MutableRequest): void {
  carry(request, 'toolConfig', field.object());
  field.optionalMember('functionCallingConfig', (config) => decodeToolChoice(config, request));
}

const modes: Readonly<Record<string, Extract<ToolChoice, string>>> = {
  AUTO: 'auto',
  VALIDATED: 'auto',
  NONE: 'none',
  ANY: 'required',
};

function decodeToolChoice(field: JsonField, request: MutableRequest): void {
  if (isRecord(field.value) && field.value['streamFunctionCallArguments'] === true)
    field.get('streamFunctionCallArguments').fail('is not supported; calls arrive complete');
  const mode = field.optionalMember('mode', (value) => value.string().toUpperCase());
  const choice = mode === undefined ? undefined : modes[mode];
  const allowed = field.optionalMember('allowedFunctionNames', (list) => list.items().map((name) => name.string()));
  const [only, ...others] = choice === 'required' ? (allowed ?? []) : [];
  if (others.length > 0) carry(request, 'toolConfig.allowedFunctionNames', allowed);
  if (choice !== undefined) request.toolChoice = only !== undefined && others.length === 0 ? { name: only } : choice;
}

/** A request to count tokens has the contents only, or a whole request inside. */
export function decodeCountRequest(body: unknown): ChatRequest {
  const root = new JsonField(camelCased(body));
  return decodeRequest(root.optionalMember('generateContentRequest', (field) => field.object()) ?? root.object());
}
