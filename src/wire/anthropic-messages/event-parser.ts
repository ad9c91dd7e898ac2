// Parses one event of an Anthropic stream, with the same result as `JSON.parse`.
// Nearly all events of a stream are deltas with a few plain characters. They are matched by a regular expression, which is
// faster. Anything else goes to `JSON.parse`.

import type { AnthropicDelta, AnthropicEvent } from './types.ts';

/**
 * A delta without escapes in its text, formatted as Anthropic sends it: no spaces but the padding before the last brace.
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

// Object literals, because computed member names are slower.
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
