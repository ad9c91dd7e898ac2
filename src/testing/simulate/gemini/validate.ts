// Validates the bodies of Google's Gemini API as the API does, with the same messages, before the wire decodes them. The
// API checks every field against its definition first, and then what the fields mean together.

import { isRecord } from '../../../core/json.ts';
import { camelCased } from '../../../wire/gemini/camel-case.ts';
import { throwApiError } from '../api-error.ts';
import { checkFields, messages } from './fields.ts';
import { needsSignatures } from './signature.ts';

type Fields = Readonly<Record<string, unknown>>;

export function validateGemini(sent: unknown, model: string): void {
  const body = withoutAddress(sent);
  checkFields(body, messages.GenerateContentRequest, '');
  if (model.startsWith('unknown')) {
    throwApiError(
      `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
      { kind: 'not-found' },
    );
  }
  checkContents(body['contents'], 'GenerateContentRequest');
  const names = checkTools(body['tools']);
  checkToolConfig(body['toolConfig'], names);
  checkGeneration(body, model);
  checkTurns(body['contents'] as readonly Fields[], model);
}

/** The members that the simulator adds from the path. Both spellings of a name are accepted. */
function withoutAddress(sent: unknown): Fields {
  if (!isRecord(sent)) return throwApiError('Invalid JSON payload received. Expected an object.');
  const { model: _model, stream: _stream, ...body } = sent;
  return camelCased(body) as Fields;
}

export function validateCount(sent: unknown): void {
  const body = withoutAddress(sent);
  checkFields(body, messages.CountTokensRequest, '');
  const { generateContentRequest: whole } = body;
  checkContents(isRecord(whole) ? whole['contents'] : body['contents'], 'CountTokensRequest');
}

const dataFields = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

function checkContents(contents: unknown, name: string): void {
  const list: readonly unknown[] = Array.isArray(contents) ? contents : contents === undefined ? [] : [contents];
  if (list.length === 0) return invalid(`* ${name}.contents: contents is not specified`);
  for (const [index, content] of list.entries()) {
    const { parts, role } = content as Fields;
    const at = `${name}.contents[${index}]`;
    if (!Array.isArray(parts) || parts.length === 0) return invalid(`* ${at}.parts: contents.parts must not be empty.`);
    if (role !== undefined && !['user', 'model', 'function', ''].includes(role as string))
      return invalid('Please use a valid role: user, model.');
    for (const [number, part] of parts.entries()) checkPart(part as Fields, `${at}.parts[${number}]`);
  }
}

const namedFields = { functionCall: 'function_call', functionResponse: 'function_response' };

function checkPart(part: Fields, at: string): void {
  const given = dataFields.filter((field) => part[field] !== undefined);
  const hasOnlySignature = given.length === 0 && part['thoughtSignature'] !== undefined;
  if (given.length !== 1 && !hasOnlySignature)
    invalid(`* ${at}.data: required oneof field 'data' must have one initialized field`);
  for (const [field, name] of Object.entries(namedFields)) {
    if (part[field] !== undefined && !memberOf(part, field)['name'])
      invalid(`* ${at}.${name}.name: Name cannot be empty.`);
  }
  if (part['inlineData'] !== undefined && !memberOf(part, 'inlineData')['mimeType'])
    invalid(`* ${at}.inline_data.mime_type: mime_type is required for inline data.`);
}

const functionName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/u;

/** Returns the names of the functions. */
function checkTools(tools: unknown): ReadonlySet<unknown> {
  const list = Array.isArray(tools) ? (tools as Fields[]) : [];
  const declared = list.flatMap((tool) => (tool['functionDeclarations'] as readonly Fields[] | undefined) ?? []);
  for (const [index, { name, parameters, parametersJsonSchema }] of declared.entries()) {
    const at = `* GenerateContentRequest.tools[0].function_declarations[${index}]`;
    if (typeof name !== 'string' || !functionName.test(name)) {
      const rule =
        'Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.';
      invalid(`${at}.name: Invalid function name. ${rule}`);
    }
    if (parameters !== undefined && parametersJsonSchema !== undefined)
      invalid(`${at}.parameters: parameters and parameters_json_schema must not be set at the same time.`);
  }
  const names = declared.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) invalid(`Duplicate function declaration found: ${JSON.stringify(twice)}`);
  return new Set(names);
}

function checkToolConfig(config: unknown, names: ReadonlySet<unknown>): void {
  const { mode, allowedFunctionNames: allowed } = memberOf(config, 'functionCallingConfig');
  if (!Array.isArray(allowed) || allowed.length === 0) return;
  if (mode !== 'ANY' && mode !== 'VALIDATED')
    invalid(
      `* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: Allowed function names should only be set when the function calling mode is ANY or VALIDATED.`,
    );
  const unknown = allowed.find((name) => !names.has(name));
  if (unknown !== undefined) invalid(`Allowed function "${String(unknown)}" is not in the declared functions.`);
}

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  temperature: [0, 2],
  topP: [0, 1],
  maxOutputTokens: [1, Number.POSITIVE_INFINITY],
  candidateCount: [1, 8],
};

function checkGeneration({ generationConfig, tools }: Fields, model: string): void {
  const config: Fields = isRecord(generationConfig) ? generationConfig : {};
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = config[name] as number | undefined;
    if (value !== undefined && (value < least || value > most))
      invalid(`* GenerateContentRequest.generation_config.${name}: ${name} must be in the range [${least}, ${most}].`);
  }
  const { stopSequences, responseMimeType: type, responseSchema, responseJsonSchema } = config;
  if (Array.isArray(stopSequences) && stopSequences.length > 5)
    invalid('* GenerateContentRequest.generation_config.stop_sequences: at most 5 stop sequences are allowed.');
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined;
  if (hasSchema && type !== 'application/json' && type !== 'text/x.enum')
    invalid('* GenerateContentRequest.generation_config.response_schema: only allowed for JSON or enum output.');
  const { thinkingBudget, thinkingLevel } = memberOf(config, 'thinkingConfig');
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    invalid('You can only set only one of thinking budget and thinking level.');
  const isOlder = /gemini-[12]/.test(model);
  const hasFunctions = Array.isArray(tools) && tools.length > 0;
  if (isOlder && hasFunctions && type === 'application/json')
    invalid("Function calling with a response mime type: 'application/json' is unsupported");
}

/** A turn of results follows the turn of its calls, and has one result for each call. */
function checkTurns(contents: readonly Fields[], model: string): void {
  const lastQuestion = contents.findLastIndex((content) => isSpoken(content));
  for (const [index, content] of contents.entries()) {
    const results = countOf(content, 'functionResponse');
    const calls = index === 0 ? 0 : countOf(contents[index - 1] as Fields, 'functionCall');
    if (results > 0 && calls === 0)
      invalid('Please ensure that function response turn comes immediately after a function call turn.');
    if (calls > 0 && results !== calls) {
      invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    }
    if (needsSignatures(model) && index > lastQuestion) checkSignature(content, index);
  }
}

function isSpoken(content: Fields): boolean {
  return content['role'] !== 'model' && countOf(content, 'functionResponse') === 0;
}

function checkSignature({ role, parts }: Fields, index: number): void {
  if (role !== 'model') return;
  const first = (parts as readonly Fields[]).findIndex(({ functionCall }) => functionCall !== undefined);
  const part = (parts as readonly Fields[])[first];
  if (part === undefined || part['thoughtSignature'] !== undefined) return;
  const { name } = part['functionCall'] as { readonly name: string };
  invalid(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`, position ${index + 1}.`,
  );
}

function countOf({ parts }: Fields, field: string): number {
  return Array.isArray(parts) ? (parts as Fields[]).filter((part) => part[field] !== undefined).length : 0;
}

function memberOf(value: unknown, name: string): Fields {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

function invalid(message: string): never {
  return throwApiError(message);
}

export interface EmbedContent {
  readonly text: string;
  readonly dimensions?: number;
}

const mostInBatch = 100;

export function readEmbedRequests(sent: unknown): readonly EmbedContent[] {
  const body = withoutAddress(sent);
  checkFields(body, messages.BatchEmbedContentsRequest, '');
  const { requests } = body;
  if (!Array.isArray(requests) || requests.length === 0)
    return invalid('* BatchEmbedContentsRequest.requests: at least one request is required');
  if (requests.length > mostInBatch)
    return invalid(`* BatchEmbedContentsRequest.requests: at most ${mostInBatch} requests can be in one batch`);
  return requests.map((request) => toEmbedContent(request as Fields));
}

export function readEmbedRequest(sent: unknown): EmbedContent {
  const body = withoutAddress(sent);
  checkFields(body, messages.EmbedContentRequest, '');
  return toEmbedContent(body);
}

function toEmbedContent({ content, outputDimensionality }: Fields): EmbedContent {
  const { parts } = (isRecord(content) ? content : {}) as { readonly parts?: readonly { readonly text?: string }[] };
  const text = (parts ?? []).map((part) => part.text ?? '').join('');
  if (text === '') return invalid('* EmbedContentRequest.content: content is empty');
  if (outputDimensionality === undefined) return { text };
  const dimensions = outputDimensionality as number;
  return dimensions > 0
    ? { text, dimensions }
    : invalid('* EmbedContentRequest.output_dimensionality: must be positive');
}
