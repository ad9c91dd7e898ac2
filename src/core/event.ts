// The events of a model's response. Every provider's bytes become these events, and every response we send is made from
// them.
//
//   stream = message-start block* message-end
//   block  = (text-delta* | reasoning-delta* | tool-call-start tool-call-delta*) block-end
//
// Invariants:
//   1. `index` orders the blocks of the finished message. Blocks may interleave, and an empty block leaves a gap.
//   2. `block-end` is authoritative: a reader may ignore every delta.
//   3. Events are plain JSON. Failure is not an event: the iterator throws.
//   4. `notice` may appear anywhere and is not part of the message.

import type { Block, WireExtra } from './message.ts';
import type { Usage } from './usage.ts';

export type StreamEvent =
  | MessageStart
  | TextDelta
  | ReasoningDelta
  | ToolCallStart
  | ToolCallDelta
  | BlockEnd
  | MessageEnd
  | Notice;

export interface MessageStart {
  readonly type: 'message-start';
  readonly id: string;
  readonly model: string;
  readonly extra?: WireExtra;
}

export interface TextDelta {
  readonly type: 'text-delta';
  readonly index: number;
  readonly text: string;
}

export interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  readonly index: number;
  readonly text: string;
}

export interface ToolCallStart {
  readonly type: 'tool-call-start';
  readonly index: number;
  readonly id: string;
  readonly name: string;
}

export interface ToolCallDelta {
  readonly type: 'tool-call-delta';
  readonly index: number;
  /** A fragment of the arguments' JSON text. */
  readonly json: string;
}

export interface BlockEnd {
  readonly type: 'block-end';
  readonly index: number;
  readonly block: Block;
}

export interface MessageEnd {
  readonly type: 'message-end';
  readonly stopReason: StopReason;
  /** The provider's own stop reason, if it is more specific than ours. */
  readonly providerStopReason?: string;
  readonly stopSequence?: string;
  readonly usage: Usage;
  readonly extra?: WireExtra;
}

export interface Notice {
  readonly type: 'notice';
  readonly kind: NoticeKind;
  readonly detail: string;
}

/**
 * `loss`: the wire could not express a part of the request. `warning`: the provider's stream was malformed and was
 * corrected. `cached`: the response was replayed from the cache. `shared`: it comes from an identical call in progress.
 * `continuation`: another target continues a stream that was cut off. `repair`: the response did not match its schema,
 * and the model is called again.
 */
export type NoticeKind = 'loss' | 'warning' | 'cached' | 'shared' | 'continuation' | 'repair';

/** Whether the response came without a new call, so that it costs nothing. */
export function isUnpaid({ kind }: Notice): boolean {
  return kind === 'cached' || kind === 'shared';
}

export type StopReason = 'end' | 'length' | 'tool-calls' | 'stop-sequence' | 'refusal' | 'pause';

/** Whether the event commits a stream: from here on the caller may have seen a part of the response. */
export function isContent(event: StreamEvent): boolean {
  return event.type !== 'message-start' && event.type !== 'notice';
}
