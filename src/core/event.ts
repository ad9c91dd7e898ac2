// The model hub. Every provider's bytes become these events, and every answer we give is made from them.
//
//   stream = message-start block* message-end
//   block  = (text-delta* | reasoning-delta* | tool-call-start tool-call-delta*) block-end
//
// Invariants:
//   1. `index` orders the blocks of the finished message. Blocks may interleave, and a block that turned
//      out empty leaves a gap.
//   2. `block-end` is authoritative: a reader may ignore every delta.
//   3. Events are plain JSON. Failure is not an event: the iterator throws.
//   4. `notice` may stand anywhere and means nothing to the message.

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
  /** The provider's own word, where it says more than ours. */
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
 * `loss`: the wire could not say a part of the request. `warning`: the provider's stream was odd and was mended.
 * `cached`: the answer was replayed. `shared`: it is that of an identical call that was under way. `continuation`: a cut
 * stream goes on from another target. `repair`: the answer did not fit its schema, and the model is asked again.
 */
export type NoticeKind = 'loss' | 'warning' | 'cached' | 'shared' | 'continuation' | 'repair';

/** Whether the answer was not asked for anew, so that nobody pays for it again. */
export function isUnpaid({ kind }: Notice): boolean {
  return kind === 'cached' || kind === 'shared';
}

export type StopReason = 'end' | 'length' | 'tool-calls' | 'stop-sequence' | 'refusal' | 'pause';

/** Whether the event commits a stream: from here on the caller may have seen a part of the answer. */
export function isContent(event: StreamEvent): boolean {
  return event.type !== 'message-start' && event.type !== 'notice';
}
