// Decodes a Converse request for the simulated model. The body is validated before.

import { isRecord, omitUndefined, type JsonObject, type JsonSchema, type JsonValue } from '../../../core/json.ts';
import type { Block, CacheMarker, MediaSource, Message, ToolResultBlock } from '../../../core/message.ts';
import type { ChatRequest, OpaqueTool, ResponseFormat, ToolChoice, ToolDefinition } from '../../../core/request.ts';
import { documentFormats, imageFormats, wireName } from '../../../wire/bedrock-converse/types.ts';

type Members = Readonly<Record<string, unknown>>;

const translated = new Set([
  'modelId',
  'stream',
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'outputConfig',
  'additionalModelRequestFields',
]);

/** `body`: the JSON of the request, with the model and the kind of response of its path. */
export function decodeConverseRequest(body: unknown): ChatRequest {
  const request = membersOf(body);
  const { maxTokens, temperature, topP, stopSequences } = membersOf(request['inferenceConfig']);
  const { tools, toolChoice } = membersOf(request['toolConfig']);
  const { thinking } = membersOf(request['additionalModelRequestFields']);
  const { textFormat, effort } = membersOf(request['outputConfig']);
  const rest = Object.entries(request).filter(([name]) => !translated.has(name));
  const system = withMarkers(listOf(request['system']), (block) => decodeBlock(block));
  const budget = membersOf(thinking)['budget_tokens'];
  const reasoning = omitUndefined({ effort, budgetTokens: budget });
  return omitUndefined({
    model: String(request['modelId']),
    messages: [
      ...(system.length === 0 ? [] : [{ role: 'system', content: system }]),
      ...listOf(request['messages']).map(decodeMessage),
    ],
    tools: tools === undefined ? undefined : decodeTools(listOf(tools)),
    toolChoice: decodeChoice(membersOf(toolChoice)),
    responseFormat: decodeFormat(membersOf(textFormat)),
    reasoning: Object.keys(reasoning).length === 0 ? undefined : reasoning,
    maxTokens,
    temperature,
    topP,
    stop: stopSequences,
    stream: request['stream'],
    extra: rest.length === 0 ? undefined : { [wireName]: Object.fromEntries(rest) },
  } as unknown as ChatRequest);
}

function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(membersOf) : [];
}

/** A cache point marks what precedes it. */
function withMarkers<T extends { readonly cache?: CacheMarker }>(
  entries: readonly Members[],
  decode: (entry: Members) => T,
): T[] {
  const decoded: T[] = [];
  for (const entry of entries) {
    const last = decoded.at(-1);
    if (entry['cachePoint'] === undefined) decoded.push(decode(entry));
    else if (last !== undefined) {
      const { ttl } = membersOf(entry['cachePoint']);
      decoded[decoded.length - 1] = { ...last, cache: typeof ttl === 'string' ? { ttl } : {} };
    }
  }
  return decoded;
}

function decodeMessage(message: Members): Message {
  const role = message['role'] === 'assistant' ? 'assistant' : 'user';
  return { role, content: withMarkers(listOf(message['content']), (block) => decodeBlock(block)) };
}

type MarkableBlock = Block & { readonly cache?: CacheMarker };

function decodeBlock(block: Members): MarkableBlock {
  const { text, image, document, audio, toolUse, toolResult, reasoningContent, citationsContent } = block;
  if (typeof text === 'string') return { type: 'text', text };
  if (isRecord(image)) return { type: 'image', source: decodeSource(image, imageFormats) };
  if (isRecord(document)) {
    return { type: 'document', source: decodeSource(document, documentFormats), title: String(document['name']) };
  }
  if (isRecord(audio)) return decodeAudio(audio);
  if (isRecord(citationsContent)) return decodeCited(citationsContent);
  if (isRecord(reasoningContent)) return decodeReasoning(reasoningContent);
  if (isRecord(toolResult)) return decodeResult(toolResult);
  if (isRecord(toolUse) && toolUse['type'] === undefined) {
    const { toolUseId, name, input } = toolUse;
    return { type: 'tool-call', id: String(toolUseId), name: String(name), input };
  }
  return { type: 'opaque', origin: { wire: wireName }, data: block as JsonObject };
}

function decodeSource(media: Members, formats: Readonly<Record<string, string>>): MediaSource {
  const { bytes, s3Location } = membersOf(media['source']);
  if (isRecord(s3Location)) return { kind: 'url', url: String(s3Location['uri']) };
  const mediaType = Object.entries(formats).find(([, format]) => format === media['format'])?.[0] ?? '';
  return { kind: 'base64', mediaType, data: String(bytes) };
}

function decodeAudio(audio: Members): MarkableBlock {
  const { bytes } = membersOf(audio['source']);
  return { type: 'audio', format: String(audio['format']), data: String(bytes) };
}

function decodeCited({ content, citations }: Members): MarkableBlock {
  const text = listOf(content)
    .map((part) => String(part['text']))
    .join('');
  return { type: 'text', text, citations: listOf(citations) as readonly JsonValue[] };
}

function decodeReasoning({ reasoningText, redactedContent }: Members): MarkableBlock {
  const { text = '', signature } = membersOf(reasoningText);
  const origin = { wire: wireName };
  const block = { type: 'reasoning', text, signature, redacted: redactedContent, origin };
  return omitUndefined(block) as unknown as MarkableBlock;
}

function decodeResult({ toolUseId, content, status }: Members): ToolResultBlock {
  const blocks = listOf(content).map((part) =>
    'json' in part ? { type: 'text' as const, text: JSON.stringify(part['json']) } : decodeBlock(part),
  );
  const isError = status === 'error' ? true : undefined;
  const result = { type: 'tool-result', callId: String(toolUseId), content: blocks, isError };
  return omitUndefined(result) as unknown as ToolResultBlock;
}

function decodeTools(tools: readonly Members[]): (ToolDefinition | OpaqueTool)[] {
  return withMarkers(tools, (tool): (ToolDefinition | OpaqueTool) & { readonly cache?: CacheMarker } => {
    if (!isRecord(tool['toolSpec'])) {
      return { type: 'opaque', origin: { wire: wireName }, data: tool as JsonObject };
    }
    const { name, description, inputSchema, strict } = tool['toolSpec'];
    const schema = membersOf(inputSchema)['json'] as JsonSchema;
    return omitUndefined({ name, description, inputSchema: schema, strict }) as ToolDefinition;
  });
}

function decodeChoice({ any, auto, tool }: Members): ToolChoice | undefined {
  if (isRecord(tool)) return { name: String(tool['name']) };
  if (any !== undefined) return 'required';
  return auto === undefined ? undefined : 'auto';
}

function decodeFormat({ structure }: Members): ResponseFormat | undefined {
  const { jsonSchema } = membersOf(structure);
  if (!isRecord(jsonSchema)) return undefined;
  const { name, description, schema } = jsonSchema;
  const parsed = JSON.parse(String(schema)) as JsonSchema;
  return omitUndefined({ type: 'json-schema', name, description, schema: parsed }) as ResponseFormat;
}
