// Compaction: the model summarises older exchanges, and the summary replaces them. The summary is an ordinary exchange, so
// it can be trimmed or summarised again.

import { text, textOf, type Message } from '../core/message.ts';
import { exchangeStarts } from './context.ts';

const summaryPrompt = `Summarise our conversation so far, so that you can continue from the summary alone. Write down:
- what I asked for, in my own words where they matter, and what I corrected;
- what was done and found: files, names, values, commands, decisions and their reasons;
- what is still open, and the next step.
Reply with the summary only.`;

export interface Compaction {
  /** The request for the summary. */
  readonly question: readonly Message[];
  readonly exchanges: number;
  readonly messages: number;
  /** The conversation with the summary in place of the summarised messages. */
  apply(summary: Message): readonly Message[];
}

/** Undefined if there is no exchange before the last `keep`. */
export function planCompaction(messages: readonly Message[], keep: number): Compaction | undefined {
  const starts = exchangeStarts(messages);
  const [first = 0] = starts;
  const end = keep === 0 ? messages.length : (starts.at(-keep) ?? 0);
  const older = messages.slice(first, end);
  if (older.length === 0) return undefined;
  return {
    question: [...messages.slice(0, end), { role: 'user', content: [text(summaryPrompt)] }],
    exchanges: starts.filter((start) => start < end).length,
    messages: older.length,
    apply: (summary) => [
      ...messages.slice(0, first),
      { role: 'user', content: [text(`Summary of the conversation so far:\n\n${textOf(summary.content).trim()}`)] },
      { role: 'assistant', content: [text('Understood. I will continue from there.')] },
      ...messages.slice(end),
    ],
  };
}
