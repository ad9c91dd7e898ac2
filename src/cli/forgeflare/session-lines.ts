// Formats a session for the terminal: texts, and one line for each tool call and each result.

import { firstArgument } from '../../coder/session/key-actions.ts';
import type { LoadedSession } from '../../coder/session/store.ts';
import { textOf, type Block, type Message } from '../../core/message.ts';

export function sessionLines({ id, entries }: LoadedSession): string {
  const lines = entries.flatMap(({ message }) => linesOf(message));
  return [`Session ${id}`, '', ...lines].join('\n').trimEnd() + '\n';
}

function linesOf({ role, content }: Message): string[] {
  return content.flatMap((block) => lineOf(block, role === 'user' ? '> ' : '') ?? []);
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
