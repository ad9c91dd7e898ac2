// Formats a session for the terminal: texts, and one line for each tool call and each result.

import { firstArgument } from '../../coder/session/key-actions.ts';
import type { MessageEntry } from '../../coder/session/message-entry.ts';
import type { LoadedSession } from '../../coder/session/store.ts';
import type { SubagentTranscript } from '../../coder/session/subagent-transcript.ts';
import { textOf, type Block, type Message } from '../../core/message.ts';

export function sessionLines({ id, entries }: LoadedSession, subagents: readonly SubagentTranscript[] = []): string {
  const nested = new Map(subagents.map(({ callId, entries: own }) => [callId, nestedLines(own)]));
  const lines = entries.flatMap(({ message }) => linesOf(message, nested));
  return [`Session ${id}`, '', ...lines].join('\n').trimEnd() + '\n';
}

/** By the id of the call that started the subagent. */
type NestedLines = ReadonlyMap<string, readonly string[]>;

function linesOf({ role, content }: Message, nested: NestedLines = new Map()): string[] {
  return content.flatMap((block) => {
    const lines = lineOf(block, role === 'user' ? '> ' : '') ?? [];
    return block.type === 'tool-call' ? [...lines, ...(nested.get(block.id) ?? [])] : lines;
  });
}

/** Without the final text, which is the result of the call. */
function nestedLines(entries: readonly MessageEntry[]): string[] {
  const lines = entries.slice(0, -1).flatMap(({ message }) => linesOf(message));
  return lines.filter((line) => line !== '').map((line) => `    ${line.replaceAll('\n', '\n    ')}`);
}

function lineOf(block: Block, prefix: string): string[] | undefined {
  switch (block.type) {
    case 'text':
      return [block.text.trim().replaceAll(/^/gm, prefix), ''];
    case 'tool-call':
      return [`→ ${block.name} ${firstArgument(block.input)}`.trimEnd()];
    case 'tool-result':
      return [`← ${resultOf(block)}`, ''];
    case 'reasoning':
      return undefined;
    default:
      return [`${prefix}[${block.type}]`, ''];
  }
}

const longestError = 200;

/** The message of an error, the size of a success. */
function resultOf({ content, isError }: Block & { readonly type: 'tool-result' }): string {
  const words = textOf(content);
  if (isError !== true) return `${Buffer.byteLength(words)} bytes`;
  return `error: ${Array.from(words.replaceAll(/\s+/g, ' ')).slice(0, longestError).join('')}`;
}
