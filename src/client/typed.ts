// The typed side of an answer: its text healed into a value of the schema, or an error that carries what there was.

import { SimpleAgentsError } from '../core/error.ts';
import { text, type Message } from '../core/message.ts';
import type { HealingSettings } from '../gateway/output/healing.ts';
import { formatPath, heal, HealError, type Flag, type HealOptions, type SchemaInput } from '../heal/index.ts';
import type { Completion } from './completion.ts';

export interface HealingOptions extends HealingSettings {
  /**
   * How often the model may be asked again, with its own answer and what is wrong with it, when the answer cannot be
   * healed. 0 unless said otherwise. In a stream the next answer follows a `repair` notice.
   */
  readonly repair?: number;
}

export interface TypedCompletion<T> extends Completion {
  /** What the answer means. */
  readonly value: T;
  /** What had to be changed in the text for that. */
  readonly flags: readonly Flag[];
  /** 0 to 1; exactly 1 when nothing was changed. */
  readonly confidence: number;
}

/** Throws `healing` when there is no value that is sure enough. A model that calls tools has not answered yet. */
export function toTyped(
  completion: Completion,
  schema: SchemaInput,
  options: HealingOptions,
): TypedCompletion<unknown> {
  if (completion.stopReason === 'tool-calls' && completion.toolCalls.length > 0) {
    return { ...completion, value: undefined, flags: [], confidence: 1 };
  }
  try {
    if (completion.stopReason === 'refusal') throw new HealError('no-value', 'the model refused to answer');
    return { ...completion, ...heal(completion.text, schema, toHealOptions(options)) };
  } catch (error) {
    throw error instanceof HealError ? toHealingError(error, completion) : error;
  }
}

/** With healing off, only what is exactly right will do. */
export function toHealOptions({ enabled = true, repair: _repair, ...options }: HealingOptions): HealOptions {
  return enabled ? options : { ...options, strict: true, coerceTypes: false };
}

function toHealingError(cause: HealError, { text: written, stopReason, target }: Completion): SimpleAgentsError {
  const { value, flags, confidence, path } = cause;
  const cut = stopReason === 'length' ? ' (the answer was cut at its token limit)' : '';
  return new SimpleAgentsError('healing', `${cause.message}${cut}`, {
    cause,
    text: written,
    value,
    flags,
    confidence,
    target,
    ...(path.length === 0 ? {} : { field: formatPath(path) }),
  });
}

/** Whether asking again may help: not after a refusal, and not where the next answer would be cut as well. */
export function isRepairable({ stopReason, toolCalls }: Completion): boolean {
  return (stopReason === 'end' || stopReason === 'stop-sequence') && toolCalls.length === 0;
}

/** What the model is told: its own answer, and what is wrong with it. */
export function repairMessagesFor({ message }: Completion, { message: problem }: SimpleAgentsError): Message[] {
  const { role, content } = message;
  const words = `This answer cannot be used: ${problem}. Answer again with JSON only, and let it fit the schema exactly.`;
  const complaint: Message = { role: 'user', content: [text(words)] };
  return content.length === 0 ? [complaint] : [{ role, content }, complaint];
}
