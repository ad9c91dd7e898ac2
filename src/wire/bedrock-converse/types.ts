// The parts of Amazon Bedrock's Converse wire that we read, and its tables. The types are lenient: any field that a
// provider sends may be missing. Bytes are base64 in JSON.

import type { StopReason } from '../../core/event.ts';
import { entryOf, omitUndefined, type JsonValue } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';

export const wireName = 'bedrock-converse';

export interface ConverseUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}

export interface ConverseToolUse {
  readonly toolUseId?: string;
  readonly name?: string;
  readonly input?: unknown;
  /** `server_tool_use`: a tool that the provider runs itself. */
  readonly type?: string;
}

export interface ConverseImage {
  readonly format?: string;
  readonly source?: { readonly bytes?: string };
}

export interface ConverseReasoning {
  readonly reasoningText?: { readonly text?: string; readonly signature?: string };
  readonly redactedContent?: string;
}

/** A block of a complete message. Exactly one member is present. */
export interface ConverseBlock {
  readonly text?: string;
  readonly toolUse?: ConverseToolUse;
  readonly reasoningContent?: ConverseReasoning;
  readonly citationsContent?: {
    readonly content?: readonly { readonly text?: string }[];
    readonly citations?: readonly JsonValue[];
  };
  readonly image?: ConverseImage;
}

export interface ConverseBody {
  readonly output?: { readonly message?: { readonly content?: readonly ConverseBlock[] } };
  readonly stopReason?: string;
  readonly usage?: ConverseUsage;
}

export interface ConverseDelta {
  readonly text?: string;
  readonly toolUse?: { readonly input?: string };
  readonly reasoningContent?: {
    readonly text?: string;
    readonly signature?: string;
    readonly redactedContent?: string;
  };
  readonly citation?: JsonValue;
  readonly image?: ConverseImage;
}

/** Any event of the stream. Its fields depend on the event's name. */
export interface ConverseEvent {
  readonly contentBlockIndex?: number;
  readonly start?: { readonly toolUse?: ConverseToolUse; readonly image?: ConverseImage };
  readonly delta?: ConverseDelta;
  readonly stopReason?: string;
  readonly usage?: ConverseUsage;
  /** Of an exception. */
  readonly type?: string;
  readonly message?: unknown;
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

/** An unknown reason also ends the message. */
export function decodeStopReason(reason: string): StopReason {
  return entryOf(stopReasons, reason) ?? 'end';
}

/** The model wrote something that the service cannot read, so that the response is not usable. */
export function isMalformed(reason: string): boolean {
  return reason === 'malformed_model_output' || reason === 'malformed_tool_use';
}

/** `inputTokens` has none of the tokens that the cache served or stored. */
export function decodeUsage(usage: ConverseUsage | undefined): Usage {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return noUsage;
  return omitUndefined({
    input: usage.inputTokens ?? 0,
    output: usage.outputTokens ?? 0,
    cacheRead: usage.cacheReadInputTokens,
    cacheWrite: usage.cacheWriteInputTokens,
  });
}

/** Formats by media type. */
export const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

export const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};

export const audioFormats: readonly string[] = [
  'aac',
  'flac',
  'm4a',
  'mka',
  'mkv',
  'mp3',
  'mp4',
  'mpeg',
  'mpga',
  'ogg',
  'opus',
  'pcm',
  'wav',
  'webm',
  'x-aac',
];

/** The entry of a media type, which may have parameters. */
export function formatOf(formats: Readonly<Record<string, string>>, mediaType: string): string | undefined {
  return entryOf(formats, mediaType.split(';', 1)[0]?.trim().toLowerCase());
}
