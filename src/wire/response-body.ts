// Encodes a complete response, given as events, as the JSON body of a wire.

import { assemble, type AssembledMessage } from '../core/assembler.ts';
import type { StreamEvent } from '../core/event.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolCallBlock } from '../core/message.ts';
import type { EncodeResponseOptions, WireServer } from './wire.ts';

export function encodeResponseBody(
  wire: Pick<WireServer, 'encodeBody' | 'hasTextArguments'>,
  events: readonly StreamEvent[],
  options?: EncodeResponseOptions,
): JsonObject {
  const message = assemble(events);
  return wire.encodeBody(wire.hasTextArguments === true ? withCutCalls(message) : message, options);
}

/** Adds tool calls that the token limit cut off. Clients of such a wire expect the incomplete text, as in a stream. */
function withCutCalls(message: AssembledMessage): AssembledMessage {
  if (message.dropped.length === 0 || message.stopReason !== 'length') return message;
  const cut = message.dropped.map((call): ToolCallBlock => ({
    type: 'tool-call',
    ...call,
    input: null,
    error: 'the tool call was cut off by the token limit',
  }));
  return { ...message, content: [...message.content, ...cut] };
}
