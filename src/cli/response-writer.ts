// An answer on its way to the user: its words to a stream, and in plain sentences what else is worth knowing.

import type { Completion } from '../client/completion.ts';
import { formatDollars } from '../core/dollars.ts';
import type { StopReason } from '../core/event.ts';
import { promptTokens } from '../core/usage.ts';
import { toPrintable, write, type TerminalOutput } from './terminal/terminal.ts';

/** Writes words as they come and knows whether the last line is finished. */
export class ResponseWriter {
  readonly #stream: TerminalOutput;
  #last = '\n';

  constructor(stream: TerminalOutput) {
    this.#stream = stream;
  }

  async write(words: string): Promise<void> {
    const shown = toPrintable(words, this.#stream);
    if (shown === '') return;
    this.#last = shown.slice(-1);
    await write(this.#stream, shown);
  }

  /** Ends the last line, if it has begun and is not ended. */
  async finishLine(): Promise<void> {
    if (this.#last === '\n') return;
    this.#last = '\n';
    await write(this.#stream, '\n');
  }
}

const stopNotes: Readonly<Partial<Record<StopReason, string>>> = {
  length: 'the answer was cut at its token limit; --max-tokens sets a higher one',
  refusal: 'the model refused to answer',
  pause: 'the provider paused the answer before its end',
};

/** What was lost or mended on the way, and why the answer is not what one would expect. */
export function notesOf(
  { notices, stopReason, text, toolCalls }: Completion,
  { areCallsShown = false }: { readonly areCallsShown?: boolean } = {},
): string[] {
  const notes = notices.map(({ detail }) => detail);
  const stopNote = stopNotes[stopReason];
  if (stopNote !== undefined) notes.push(stopNote);
  else if (text === '' && toolCalls.length === 0) notes.push('the answer has no text');
  else if (text === '' && !areCallsShown) notes.push('the answer is only a tool call');
  return notes;
}

export function describeTokens({ usage }: Pick<Completion, 'usage'>): string {
  return usage.missing ? 'tokens unknown' : `${promptTokens(usage)} in, ${usage.output} out`;
}

/** What there is to pay for, and what it comes to if it comes to something. */
export function describeUsageAndCost({ usage, cost = 0 }: Pick<Completion, 'usage' | 'cost'>): string {
  return cost > 0 ? `${describeTokens({ usage })} · ${formatDollars(cost)}` : describeTokens({ usage });
}

export function describeTime(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
