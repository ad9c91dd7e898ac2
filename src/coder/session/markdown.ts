// Exports a session as a markdown document: messages, tool calls and their results.

import { argumentsOf, type Block, type Message } from '../../core/message.ts';
import type { MessageEntry } from './message-entry.ts';
import type { LoadedSession } from './store.ts';
import type { SubagentTranscript } from './subagent-transcript.ts';

/** Subagents follow the conversation, each under the id of the call that started it. */
export function toMarkdown(
  { id, entries, problems }: LoadedSession,
  subagents: readonly SubagentTranscript[] = [],
): string {
  const notes = problems.map((problem) => `> ${problem}\n`);
  const nested = subagents.flatMap((each) => [
    `# Subagent ${each.name}: ${each.task} (\`${each.callId}\`)\n`,
    ...toSections(each.entries),
  ]);
  return [`# Session ${id}\n`, ...notes, ...toSections(entries), ...nested].join('\n');
}

function toSections(entries: readonly MessageEntry[]): string[] {
  return entries.filter(({ message }) => message.content.length > 0).map(toSection);
}

function toSection({ message, timestamp }: MessageEntry): string {
  return `## ${speakerOf(message)}, ${timestamp}\n\n${message.content.map(toText).join('\n\n')}\n`;
}

/** Tool results are user messages in every wire. */
function speakerOf({ role, content }: Message): string {
  if (role === 'user' && content.every(({ type }) => type === 'tool-result')) return 'Tools';
  return role === 'user' ? 'User' : 'Assistant';
}

function toText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'reasoning':
      return block.text === '' ? '*(hidden reasoning)*' : `*Reasoning:*\n\n${quote(block.text)}`;
    case 'tool-call':
      return `**${block.name}** (\`${block.id}\`)\n\n${fence(prettyArguments(block), 'json')}`;
    case 'tool-result': {
      const title = block.isError === true ? 'Error' : 'Result';
      return `**${title}** (\`${block.callId}\`)\n\n${block.content.map(toResultText).join('\n\n')}`;
    }
    default:
      return `*(${block.type})*`;
  }
}

function toResultText(block: Block): string {
  return block.type === 'text' ? fence(block.text) : toText(block);
}

function prettyArguments(call: Block & { readonly type: 'tool-call' }): string {
  const written = argumentsOf(call);
  try {
    return JSON.stringify(JSON.parse(written), undefined, 2);
  } catch {
    return written;
  }
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, '> ');
}

/** Longer than any fence in the text. */
function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${ticks}`;
}
