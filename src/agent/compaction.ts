// Compaction: the model writes down what older exchanges came to, and the summary takes their place. It is an exchange
// like any other, so it can be trimmed or summed up again.

import { text, textOf, type Message } from '../core/message.ts';
import { exchangeStarts } from './context.ts';

const summaryPrompt = `Summarise our conversation so far, so that you can go on from the summary alone. Write down:
- what I asked for, in my words where they matter, and what I corrected;
- what was done and found: files, names, values, commands, decisions and their reasons;
- what is still open, and the very next step.
Answer with the summary only.`;

export interface Compaction {
  /** What to ask the model. */
  readonly question: readonly Message[];
  readonly exchanges: number;
  readonly messages: number;
  /** The conversation with the answer in place of what was summed up. */
  apply(summary: Message): readonly Message[];
}

/** Nothing when there is no exchange before the last `keep`. */
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
      { role: 'assistant', content: [text('Understood. I go on from there.')] },
      ...messages.slice(end),
    ],
  };
}
