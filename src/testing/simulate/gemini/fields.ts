// The definition of the request bodies of Google's Gemini API: the fields of each message and their types. An unknown field
// and a value of another type are errors, with the messages of the API.

import { isRecord } from '../../../core/json.ts';
import { throwApiError } from '../api-error.ts';

/** `json` is any value; `object` is any object. A list is written as an array with the type of its items. */
type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'json' | 'object' | MessageType | readonly [FieldType];
interface MessageType {
  readonly [field: string]: FieldType;
}

const Blob: MessageType = { mimeType: 'string', data: 'string', displayName: 'string' };
const FileData: MessageType = { mimeType: 'string', fileUri: 'string', displayName: 'string' };

const Part: MessageType = {
  text: 'string',
  thought: 'boolean',
  thoughtSignature: 'string',
  inlineData: Blob,
  fileData: FileData,
  functionCall: { id: 'string', name: 'string', args: 'object' },
  functionResponse: {
    id: 'string',
    name: 'string',
    response: 'object',
    parts: [{ inlineData: Blob, fileData: FileData }],
    willContinue: 'boolean',
    scheduling: 'string',
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

const FunctionDeclaration: MessageType = {
  name: 'string',
  description: 'string',
  behavior: 'string',
  parameters: 'object',
  parametersJsonSchema: 'json',
  response: 'object',
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
  responseSchema: 'object',
  responseJsonSchema: 'json',
  responseModalities: ['string'],
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
  thinkingConfig: { includeThoughts: 'boolean', thinkingBudget: 'integer', thinkingLevel: 'string' },
};

const GenerateContentRequest: MessageType = {
  contents: [Content],
  systemInstruction: Content,
  tools: [Tool],
  toolConfig: {
    functionCallingConfig: { mode: 'string', allowedFunctionNames: ['string'] },
    retrievalConfig: 'object',
    includeServerSideToolInvocations: 'boolean',
  },
  safetySettings: [{ category: 'string', threshold: 'string' }],
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
    const field = Object.hasOwn(type, name) ? type[name] : undefined;
    if (field === undefined) return unknownField(name, path);
    if (member !== null) checkValue(member, field, path === '' ? snakeCased(name) : `${path}.${snakeCased(name)}`);
  }
}

function checkValue(value: unknown, type: FieldType, path: string): void {
  if (isList(type)) {
    // A single value stands for a list of one.
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, item] of items.entries()) checkValue(item, type[0], `${path}[${index}]`);
  } else if (typeof type === 'object') {
    checkFields(value, type, path);
  } else if (!isOfType(value, type)) invalidType(path, type, value);
}

function isList(type: FieldType): type is readonly [FieldType] {
  return Array.isArray(type);
}

function isOfType(value: unknown, type: Extract<FieldType, string>): boolean {
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
