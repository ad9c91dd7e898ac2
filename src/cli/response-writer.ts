// Writes a model's response to a stream, and describes its notes, tokens, cost and time in words.

import type { Completion } from '../client/completion.ts';
import { formatDollars } from '../core/dollars.ts';
import type { StopReason } from '../core/event.ts';
import { promptTokens } from '../core/usage.ts';
import { toPrintable, write, type TerminalOutput } from './terminal/terminal.ts';

/** Writes text as it arrives, and tracks whether the last line is terminated. */
export class ResponseWriter {
  readonly #stream: TerminalOutput;
  #last = '\n';

  constructor(stream: TerminalOutput) {
    this.#stream = stream;
  }

  async write(text: string): Promise<void> {
    const shown = toPrintable(text, this.#stream);
    if (shown === '') return;
    this.#last = shown.slice(-1);
    await write(this.#stream, shown);
  }

  /** Terminates the last line if it is not terminated. */
  async finishLine(): Promise<void> {
    if (this.#last === '\n') return;
    this.#last = '\n';
    await write(this.#stream, '\n');
  }
}

const stopNotes: Readonly<Partial<Record<StopReason, string>>> = {
  length: 'the response was cut off at the token limit; use --max-tokens to raise it',
  refusal: 'the model refused to respond',
  pause: 'the provider paused the response before its end',
};

/** Notes for the user: what was lost or repaired, and why a response may not be as expected. */
export function notesOf(
  { notices, stopReason, text, toolCalls }: Completion,
  { areCallsShown = false }: { readonly areCallsShown?: boolean } = {},
): string[] {
  const notes = notices.map(({ detail }) => detail);
  const stopNote = stopNotes[stopReason];
  if (stopNote !== undefined) notes.push(stopNote);
  else if (text === '' && toolCalls.length === 0) notes.push('the response has no text');
  else if (text === '' && !areCallsShown) notes.push('the response contains only tool calls');
  return notes;
}

export function describeTokens({ usage }: Pick<Completion, 'usage'>): string {
  return usage.missing ? 'tokens unknown' : `${promptTokens(usage)} in, ${usage.output} out`;
}

/** The tokens, and the cost if it is above 0. */
export function describeUsageAndCost({ usage, cost = 0 }: Pick<Completion, 'usage' | 'cost'>): string {
  return cost > 0 ? `${describeTokens({ usage })} · ${formatDollars(cost)}` : describeTokens({ usage });
}

export function describeTime(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
