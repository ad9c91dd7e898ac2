// Prompts as `user` lines, towards the agent.

import { omitUndefined } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import { decodeContent, encodeBlock } from './block.ts';
import { recordOf, stringOf, type StreamJsonLine } from './line.ts';

/** A prompt that is only a text becomes a plain string. */
export function encodePrompt({ content }: Message, sessionId = ''): StreamJsonLine {
  const [first] = content;
  const isPlain = content.length === 1 && first?.type === 'text' && Object.keys(first).length === 2;
  const message = { role: 'user', content: isPlain ? first.text : content.map(encodeBlock) };
  return { type: 'user', message, parent_tool_use_id: null, session_id: sessionId };
}

export interface DecodedPrompt {
  readonly prompt: Message;
  /** The line's own id, which the replayed line has too. */
  readonly id?: string;
}

/** The line must have passed `parseLine`. */
export function decodePrompt(line: StreamJsonLine): DecodedPrompt {
  const content = decodeContent(recordOf(line['message'])['content']);
  return omitUndefined({ prompt: { role: 'user', content }, id: stringOf(line['uuid']) });
}
