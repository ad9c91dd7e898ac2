// A whole answer as the body of a wire, made from its events.

import { assemble, type AssembledMessage } from '../core/assembler.ts';
import type { StreamEvent } from '../core/event.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolCallBlock } from '../core/message.ts';
import type { WireServer } from './wire.ts';

/** `created` as in `EncodeStreamOptions`. */
export function encodeResponseBody(wire: WireServer, events: readonly StreamEvent[], created?: number): JsonObject {
  const message = assemble(events);
  return wire.encodeBody(wire.hasTextArguments === true ? withCutCalls(message) : message, created);
}

/** Calls that the token limit cut, as far as they came: a client of such a wire expects them, as in a stream. */
function withCutCalls(message: AssembledMessage): AssembledMessage {
  if (message.dropped.length === 0 || message.stopReason !== 'length') return message;
  const cut = message.dropped.map((call): ToolCallBlock => ({
    type: 'tool-call',
    ...call,
    input: null,
    error: 'the call was cut by the token limit',
  }));
  return { ...message, content: [...message.content, ...cut] };
}
