// Messages are lists of blocks: the richest shape any provider speaks, so nothing is lost on the way in.
// Knows no wire. Two invariants:
//   1. Tool results are blocks of a user message, all results of one assistant turn in one message.
//   2. A block that only one provider understands (a signature, an unknown kind) carries its origin,
//      and goes back to that origin verbatim or nowhere.

import type { JsonValue } from './json.ts';

export type Role = 'system' | 'user' | 'assistant';

export interface Message {
  readonly role: Role;
  readonly content: readonly Block[];
  readonly extra?: WireExtra;
}

/** Members of a message, block, tool or answer that only one wire knows: they go out on that wire verbatim. */
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
  /** In the provider's own words (`5m`, `1h`, …); left out, the provider's default. */
  readonly ttl?: string;
}

/** Who made a block that only its maker understands. */
export interface Origin {
  readonly wire: string;
  readonly provider?: string;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** As the provider gave them. */
  readonly citations?: readonly JsonValue[];
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

/** Where the bytes of an image, a sound or a document are. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly id: string };

export interface ImageBlock {
  readonly type: 'image';
  readonly source: MediaSource;
  /** How closely to look, in OpenAI's words: `auto`, `low`, `high`, … */
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
  /** The provider's proof that it wrote the text; opaque to us. */
  readonly signature?: string;
  /** Reasoning the provider encrypted instead of showing; `text` is then empty. */
  readonly redacted?: string;
  readonly origin?: Origin;
}

export interface ToolCallBlock {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** The arguments; `null` when they are not JSON. Not to be used when `error` is set. */
  readonly input: unknown;
  /** What the model wrote, kept whenever `input` is not simply that text parsed. */
  readonly raw?: string;
  /** Why there is no usable input: the raw text is not JSON or does not fit the tool's schema, and was not healed. */
  readonly error?: string;
  /** What healing changed to get `input` from `raw`. */
  readonly flags?: readonly HealingFlag[];
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

/** One thing that was changed in what a model wrote; which details there are depends on the kind. */
export interface HealingFlag {
  readonly kind: string;
  /** Where in the value. */
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

/** A block of a kind we do not know: kept so that the same wire can have it back verbatim. */
export interface OpaqueBlock {
  readonly type: 'opaque';
  readonly origin: Origin;
  readonly data: JsonValue;
}

export function text(content: string): TextBlock {
  return { type: 'text', text: content };
}

/** The visible words of a message or of a tool result: its text blocks, joined. */
export function textOf(content: readonly Block[]): string {
  let joined = '';
  for (const block of content) if (block.type === 'text') joined += block.text;
  return joined;
}

export function toolCallsOf(content: readonly Block[]): ToolCallBlock[] {
  return content.filter((block) => block.type === 'tool-call');
}

/** A call's arguments as the JSON text a wire carries; what the model wrote, where that was not JSON. */
export function argumentsOf(call: ToolCallBlock): string {
  if (call.error !== undefined) return call.raw ?? '';
  return call.input === undefined ? '{}' : JSON.stringify(call.input);
}

/** Whether a block made by `origin` may be returned to `wire` at `provider`. A client of ours knows only the wire. */
export function mayReturnTo(origin: Origin | undefined, wire: string, provider: string | undefined): boolean {
  if (origin === undefined) return true;
  if (origin.wire !== wire) return false;
  return origin.provider === undefined || provider === undefined || origin.provider === provider;
}
