// The parts of Google's Gemini wire that we read, and the tables that both sides of the codec share. The types are lenient:
// any field that a provider sends may be missing, and Google leaves out fields that are zero or empty.

import { toStandardBase64 } from '../../core/base64.ts';
import type { StopReason } from '../../core/event.ts';
import { entryOf, isRecord, omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Block, ToolCallBlock } from '../../core/message.ts';
import { toPathSegment } from '../../core/path-segment.ts';
import { noUsage, promptTokens, type Usage } from '../../core/usage.ts';
import type { GroundingMetadata } from './grounding.ts';

export const wireName = 'gemini';

/** The type of a response that is one of several words. */
export const wordType = 'text/x.enum';

export interface GeminiBlob {
  readonly mimeType?: string;
  readonly data?: string;
}

export interface GeminiCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
}

export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: GeminiCall;
  readonly inlineData?: GeminiBlob;
}

export interface GeminiCandidate {
  /** Left out: 0. */
  readonly index?: number;
  readonly content?: { readonly parts?: readonly GeminiPart[]; readonly role?: string };
  readonly finishReason?: string;
  readonly finishMessage?: string;
  /** In a stream, with the last part of the text. */
  readonly groundingMetadata?: GroundingMetadata;
}

export interface GeminiUsage {
  readonly promptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
}

/** A complete response, or a chunk of a stream: both have the same shape. */
export interface GeminiResponse {
  readonly responseId?: string;
  readonly modelVersion?: string;
  readonly candidates?: readonly GeminiCandidate[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: GeminiUsage;
  readonly error?: unknown;
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  LANGUAGE: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
  IMAGE_SAFETY: 'refusal',
  IMAGE_PROHIBITED_CONTENT: 'refusal',
  IMAGE_RECITATION: 'refusal',
  CONTINUATION: 'pause',
};

const encodedStopReasons: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  length: 'MAX_TOKENS',
  'tool-calls': 'STOP',
  'stop-sequence': 'STOP',
  refusal: 'SAFETY',
  pause: 'STOP',
};

/** The wire has no reason of its own for tool calls. An unknown reason also ends the message. */
export function decodeStopReason(reason: string, hasCalls: boolean): StopReason {
  const known = entryOf(stopReasons, reason) ?? 'end';
  return known === 'end' && hasCalls ? 'tool-calls' : known;
}

/** The provider's own word is kept if it is one of this wire and means the same. */
export function encodeStopReason(reason: StopReason, own: string | undefined): string {
  const isOwn = own !== undefined && entryOf(stopReasons, own) === reason;
  return isOwn ? own : encodedStopReasons[reason];
}

/** Reasons for which a response is not usable: the model wrote a call that the provider could not read. */
const failureReasons = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MALFORMED_RESPONSE',
  'MISSING_THOUGHT_SIGNATURE',
]);

export function isFailure(finishReason: string | undefined): boolean {
  return finishReason !== undefined && failureReasons.has(finishReason);
}

/** The prompt's count includes cached tokens. Thinking is not part of the candidates' count. */
export function decodeUsage(usage: GeminiUsage): Usage {
  const { promptTokenCount: prompt = 0, cachedContentTokenCount: cached, thoughtsTokenCount: thoughts } = usage;
  return omitUndefined({
    input: prompt - (cached ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    output: (usage.candidatesTokenCount ?? 0) + (thoughts ?? 0),
    cacheRead: cached,
    reasoning: thoughts,
  });
}

export function encodeUsage(usage: Usage): JsonObject {
  const { output, cacheRead, reasoning } = usage;
  const prompt = promptTokens(usage);
  return omitUndefined({
    promptTokenCount: prompt,
    candidatesTokenCount: output - (reasoning ?? 0),
    totalTokenCount: prompt + output,
    cachedContentTokenCount: cacheRead,
    thoughtsTokenCount: reasoning,
  });
}

/** Placeholders stand for counts that no provider reported. */
export function usageMember(usage: Usage = noUsage, more: object = {}): JsonObject {
  return usage.missing ? {} : { usageMetadata: { ...encodeUsage(usage), ...more } };
}

/** The wire requires an object. Arguments that are not JSON are sent as text, so that a reader sees the mistake. */
export function encodeArguments(call: ToolCallBlock): JsonValue {
  if (call.error === undefined && isRecord(call.input)) return call.input as JsonObject;
  return { invalid_json: call.raw ?? JSON.stringify(call.input) };
}

/** Older models send calls without ids. An id of this form is ours, and is not sent back. */
const ownId = /^gemini-call-/;

export function toCallId(...parts: readonly (string | number)[]): string {
  return ['gemini-call', ...parts].join('-');
}

export function encodeCallId(id: string): string | undefined {
  return ownId.test(id) ? undefined : id;
}

/** Formats of audio whose media type is not `audio/FORMAT`. */
const audioFormats: Readonly<Record<string, string>> = { mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav' };

/** The block of inline data; undefined for data of a kind that only this wire has, such as video. */
export function decodeBlob({ mimeType = '', data = '' }: GeminiBlob): Block | undefined {
  const [kind = '', format = ''] = mimeType.toLowerCase().split(';', 1)[0]?.split('/') ?? [];
  if (kind === 'image') return { type: 'image', source: { kind: 'base64', mediaType: mimeType, data } };
  if (kind === 'audio') return { type: 'audio', format: entryOf(audioFormats, format) ?? format, data };
  if (kind !== 'application' && kind !== 'text') return undefined;
  return { type: 'document', source: { kind: 'base64', mediaType: mimeType, data } };
}

export function encodeBlob(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType, data: toStandardBase64(data) } };
}

/** The methods of a model that we have. */
const methods = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
] as const;
export const modelMethods: ReadonlySet<string> = new Set(methods);

/** `models/NAME`; a name may already say its collection. */
export function modelResource(model: string): string {
  return /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;
}

/** The path of a method, relative to the version of the API. Only server-sent events are read as a stream. */
export function modelPath(model: string, method: (typeof methods)[number] | 'predict'): string {
  const resource = modelResource(model);
  const slash = resource.indexOf('/') + 1;
  return `/${resource.slice(0, slash)}${toPathSegment(resource.slice(slash), 'model')}:${method}${method === 'streamGenerateContent' ? '?alt=sse' : ''}`;
}

/** The model and the method in what follows `models/`. Names may contain slashes and colons. */
export function parseModelPath(path: string): { readonly model: string; readonly method: string } {
  const colon = path.lastIndexOf(':');
  return {
    model: path.slice(0, colon === -1 ? path.length : colon),
    method: colon === -1 ? '' : path.slice(colon + 1),
  };
}
