// One event of an Anthropic stream from its JSON text: what `JSON.parse` gives, sooner.
// Nearly all events of a stream are deltas of a few plain characters. They are recognised by their whole text, so
// nothing can be misread: what is not exactly such a delta is left to `JSON.parse`.

import type { AnthropicDelta, AnthropicEvent } from './types.ts';

/**
 * A delta whose text has no escapes, as the wire's inventor writes it: no blanks but the padding before the last
 * brace. Matching takes a third of the time of `JSON.parse`, and 40 % off the time of a whole decoded stream.
 */
const plainDelta =
  // oxlint-disable-next-line no-control-regex -- JSON forbids them bare in a string
  /^\{"type":"content_block_delta","index":(\d|[1-9]\d+),"delta":\{"type":"(text_delta","text|input_json_delta","partial_json|thinking_delta","thinking)":"([^"\\\u0000-\u001f]*)"\} *\}$/;

/** Throws a `SyntaxError` when the text is not JSON. */
export function parseEvent(data: string): AnthropicEvent {
  const match = plainDelta.exec(data);
  if (match === null) return JSON.parse(data);
  const [, index, member = '', text = ''] = match;
  return { type: 'content_block_delta', index: Number(index), delta: deltaOf(member, text) };
}

// Literals, because a member named at run time costs half of what the pattern saves.
function deltaOf(member: string, text: string): AnthropicDelta {
  switch (member) {
    case 'text_delta","text':
      return { type: 'text_delta', text };
    case 'input_json_delta","partial_json':
      return { type: 'input_json_delta', partial_json: text };
    default:
      return { type: 'thinking_delta', thinking: text };
  }
}
