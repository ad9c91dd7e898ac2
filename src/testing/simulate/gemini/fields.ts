// The definition of the request bodies of Google's Gemini API: the fields of each message and their types. An unknown field
// and a value of another type are errors, with the messages of the API.

import { isRecord } from '../../../core/json.ts';
import { throwApiError } from '../api-error.ts';
import { isAnyBase64 } from '../base64-value.ts';

/**
 * `json` is any value; `object` is any object; `bytes` is base64. A list is written as an array with the type of its items,
 * the words of an enumeration as a set.
 */
type FieldType =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'bytes'
  | 'json'
  | 'object'
  | ReadonlySet<string>
  | MessageType
  | readonly [FieldType];
interface MessageType {
  readonly [field: string]: FieldType;
}

/** Stands for every name in a map. */
const anyName = '*';

const Blob: MessageType = { mimeType: 'string', data: 'bytes', displayName: 'string' };
const FileData: MessageType = { mimeType: 'string', fileUri: 'string', displayName: 'string' };

const Part: MessageType = {
  text: 'string',
  thought: 'boolean',
  thoughtSignature: 'bytes',
  inlineData: Blob,
  fileData: FileData,
  functionCall: { id: 'string', name: 'string', args: 'object' },
  functionResponse: {
    id: 'string',
    name: 'string',
    response: 'object',
    parts: [{ inlineData: Blob, fileData: FileData }],
    willContinue: 'boolean',
    scheduling: new Set(['SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT']),
  },
  executableCode: 'object',
  codeExecutionResult: 'object',
  toolCall: 'object',
  toolResponse: 'object',
  videoMetadata: 'object',
  mediaResolution: 'object',
  partMetadata: 'object',
};

const Content: MessageType = { role: 'string', parts: [Part] };

/** Types are accepted in any case. */
const types = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL', 'TYPE_UNSPECIFIED'];
const limit = 'json';

const Schema: MessageType = {
  type: new Set([...types, ...types.map((type) => type.toLowerCase())]),
  format: 'string',
  title: 'string',
  description: 'string',
  nullable: 'boolean',
  enum: ['string'],
  maxItems: limit,
  minItems: limit,
  maxLength: limit,
  minLength: limit,
  maxProperties: limit,
  minProperties: limit,
  maximum: 'number',
  minimum: 'number',
  pattern: 'string',
  example: 'json',
  default: 'json',
  required: ['string'],
  propertyOrdering: ['string'],
  // Vertex AI has these, and the API of AI Studio too since it accepts JSON Schema.
  additionalProperties: 'json',
  $ref: 'string',
  $defs: 'object',
  get items() {
    return Schema;
  },
  get anyOf() {
    return [Schema] as const;
  },
  get properties() {
    return { [anyName]: Schema };
  },
};

const levels = ['THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
/** Google's examples write them in lower case. */
const thinkingLevels = new Set([...levels, ...levels.map((level) => level.toLowerCase())]);
const callingModes = new Set(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']);
const thresholds = new Set([
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
  'BLOCK_LOW_AND_ABOVE',
  'BLOCK_MEDIUM_AND_ABOVE',
  'BLOCK_ONLY_HIGH',
  'BLOCK_NONE',
  'OFF',
]);

const FunctionDeclaration: MessageType = {
  name: 'string',
  description: 'string',
  behavior: new Set(['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING']),
  parameters: Schema,
  parametersJsonSchema: 'json',
  response: Schema,
  responseJsonSchema: 'json',
};

const Tool: MessageType = {
  functionDeclarations: [FunctionDeclaration],
  googleSearch: 'object',
  googleSearchRetrieval: 'object',
  googleMaps: 'object',
  codeExecution: 'object',
  computerUse: 'object',
  urlContext: 'object',
  fileSearch: 'object',
  mcpServers: ['object'],
};

const GenerationConfig: MessageType = {
  stopSequences: ['string'],
  responseMimeType: 'string',
  responseSchema: Schema,
  responseJsonSchema: 'json',
  responseModalities: [new Set(['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO', 'VIDEO'])],
  candidateCount: 'integer',
  maxOutputTokens: 'integer',
  temperature: 'number',
  topP: 'number',
  topK: 'number',
  seed: 'integer',
  presencePenalty: 'number',
  frequencyPenalty: 'number',
  responseLogprobs: 'boolean',
  logprobs: 'integer',
  enableEnhancedCivicAnswers: 'boolean',
  speechConfig: 'object',
  imageConfig: 'object',
  mediaResolution: 'string',
  thinkingConfig: { includeThoughts: 'boolean', thinkingBudget: 'integer', thinkingLevel: thinkingLevels },
};

const GenerateContentRequest: MessageType = {
  contents: [Content],
  systemInstruction: Content,
  tools: [Tool],
  toolConfig: {
    functionCallingConfig: { mode: callingModes, allowedFunctionNames: ['string'] },
    retrievalConfig: 'object',
    includeServerSideToolInvocations: 'boolean',
  },
  safetySettings: [{ category: 'string', threshold: thresholds }],
  generationConfig: GenerationConfig,
  cachedContent: 'string',
  labels: 'object',
  serviceTier: 'string',
  store: 'boolean',
};

const EmbedContentRequest: MessageType = {
  model: 'string',
  content: Content,
  taskType: 'string',
  title: 'string',
  outputDimensionality: 'integer',
};

export const messages = {
  GenerateContentRequest,
  CountTokensRequest: {
    contents: [Content],
    systemInstruction: Content,
    tools: [Tool],
    generationConfig: GenerationConfig,
    generateContentRequest: { model: 'string', ...GenerateContentRequest },
  },
  EmbedContentRequest,
  BatchEmbedContentsRequest: { requests: [EmbedContentRequest] },
} as const satisfies Readonly<Record<string, MessageType>>;

export function checkFields(value: unknown, type: MessageType, path: string): void {
  if (!isRecord(value)) return invalidType(path, 'an object', value);
  for (const [name, member] of Object.entries(value)) {
    const field = [name, camelCased(name), anyName].map((key) => memberOf(type, key)).find(Boolean);
    if (field === undefined) return unknownField(name, path);
    if (member !== null) checkValue(member, field, path === '' ? snakeCased(name) : `${path}.${snakeCased(name)}`);
  }
}

function memberOf(type: MessageType, name: string): FieldType | undefined {
  return Object.hasOwn(type, name) ? type[name] : undefined;
}

/** Both spellings of a name are accepted. */
function camelCased(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function checkValue(value: unknown, type: FieldType, path: string): void {
  if (isList(type)) {
    // A single value stands for a list of one.
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, item] of items.entries()) checkValue(item, type[0], `${path}[${index}]`);
  } else if (isEnumeration(type)) {
    if (!type.has(value as string)) invalidType(path, 'enum', value);
  } else if (typeof type === 'object') {
    checkFields(value, type, path);
  } else if (type === 'bytes') {
    checkBytes(value, path);
  } else if (!isOfType(value, type)) invalidType(path, type, value);
}

function isList(type: FieldType): type is readonly [FieldType] {
  return Array.isArray(type);
}

function isEnumeration(type: FieldType): type is ReadonlySet<string> {
  return type instanceof Set;
}

function checkBytes(value: unknown, path: string): void {
  if (typeof value !== 'string') return invalidType(path, 'bytes', value);
  if (isAnyBase64(value)) return;
  throwApiError(`Invalid value at '${path}' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(value)}`, {
    field: path,
  });
}

function isOfType(value: unknown, type: Exclude<Extract<FieldType, string>, 'bytes'>): boolean {
  if (type === 'json') return true;
  if (type === 'object') return isRecord(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function unknownField(name: string, path: string): never {
  const place = path === '' ? '' : ` at '${path}'`;
  return throwApiError(`Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`, {
    field: path === '' ? name : path,
  });
}

function invalidType(path: string, type: string, value: unknown): never {
  const name = path === '' ? 'the request' : `'${path}'`;
  const kind = `TYPE_${type === 'integer' ? 'INT32' : type === 'boolean' ? 'BOOL' : type.replace(/^an? /, '').toUpperCase()}`;
  return throwApiError(`Invalid value at ${name} (${kind}), ${JSON.stringify(value)}`, { field: path });
}

function snakeCased(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
