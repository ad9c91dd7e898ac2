// Messages as lists of blocks. Blocks cover everything that any provider supports, so decoding loses nothing. This file
// knows no wire. Invariants:
//   1. Tool results are blocks of a user message, all results of one assistant turn in one message.
//   2. A block that only one provider understands (a signature, an unknown kind) has an origin. It is sent back to that
//      origin unchanged, and never anywhere else.

import type { JsonValue } from './json.ts';

export type Role = 'system' | 'user' | 'assistant';

export interface Message {
  readonly role: Role;
  readonly content: readonly Block[];
  readonly extra?: WireExtra;
}

/** Members of a message, block, tool or response that only one wire knows. They are sent on that wire unchanged. */
export interface WireExtra {
  readonly wire: string;
  readonly members: Readonly<Record<string, unknown>>;
}

export type Block =
  | TextBlock
  | ImageBlock
  | AudioBlock
  | DocumentBlock
  | ReasoningBlock
  | ToolCallBlock
  | ToolResultBlock
  | OpaqueBlock;

/** Asks the provider to cache the prompt up to and including the marked block. */
export interface CacheMarker {
  /** In the provider's format (`5m`, `1h`, …). Defaults to the provider's own. */
  readonly ttl?: string;
}

/** Where a block comes from that only its origin understands. */
export interface Origin {
  readonly wire: string;
  readonly provider?: string;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** In the provider's format. */
  readonly citations?: readonly JsonValue[];
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

/** Where the bytes of an image or a document are. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly kind: 'file'; readonly id: string };

export interface ImageBlock {
  readonly type: 'image';
  readonly source: MediaSource;
  /** The resolution, as in OpenAI's API: `auto`, `low`, `high`, … */
  readonly detail?: string;
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

export interface AudioBlock {
  readonly type: 'audio';
  /** `wav`, `mp3`, … */
  readonly format: string;
  /** Base64. */
  readonly data: string;
  readonly id?: string;
  readonly transcript?: string;
  readonly cache?: CacheMarker;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string };
  readonly title?: string;
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  /** The provider's signature of the text; opaque to us. */
  readonly signature?: string;
  /** Reasoning that the provider encrypted; `text` is then empty. */
  readonly redacted?: string;
  readonly origin?: Origin;
  readonly extra?: WireExtra;
}

export interface ToolCallBlock {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** The arguments; `null` if they are not JSON. Must not be used when `error` is set. */
  readonly input: unknown;
  /** The text that the model wrote, kept if `input` is not simply that text parsed. */
  readonly raw?: string;
  /** Why `input` is not usable: the raw text is not JSON or does not match the tool's schema, and was not healed. */
  readonly error?: string;
  /** What healing changed to get `input` from `raw`. */
  readonly flags?: readonly HealingFlag[];
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

/** One change that healing made to a model's output. Further details depend on the kind. */
export interface HealingFlag {
  readonly kind: string;
  /** The position in the value. */
  readonly path: readonly (string | number)[];
}

export interface ToolResultBlock {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly content: readonly (TextBlock | ImageBlock | DocumentBlock | OpaqueBlock)[];
  readonly isError?: boolean;
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

/** A block of an unknown kind, kept so that it can be sent back on the same wire unchanged. */
export interface OpaqueBlock {
  readonly type: 'opaque';
  readonly origin: Origin;
  readonly data: JsonValue;
}

export function text(content: string): TextBlock {
  return { type: 'text', text: content };
}

/** The text blocks of a message or of a tool result, joined. */
export function textOf(content: readonly Block[]): string {
  let joined = '';
  for (const block of content) if (block.type === 'text') joined += block.text;
  return joined;
}

export function toolCallsOf(content: readonly Block[]): ToolCallBlock[] {
  return content.filter((block) => block.type === 'tool-call');
}

/** A call's arguments as JSON text for a wire; if they are not JSON, the text that the model wrote. */
export function argumentsOf(call: ToolCallBlock): string {
  if (call.error !== undefined) return call.raw ?? '';
  return call.input === undefined ? '{}' : JSON.stringify(call.input);
}

/** Whether a block of `origin` may be sent back to `wire` at `provider`. Our own clients know only the wire. */
export function mayReturnTo(origin: Origin | undefined, wire: string, provider: string | undefined): boolean {
  if (origin === undefined) return true;
  if (origin.wire !== wire) return false;
  return origin.provider === undefined || provider === undefined || origin.provider === provider;
}
