// Heals the text of a response into a value of its schema, or throws an error with everything that was found.

import { SimpleAgentsError } from '../core/error.ts';
import { text, type Message } from '../core/message.ts';
import type { HealingSettings } from '../gateway/output/healing.ts';
import { formatPath, heal, HealError, type Flag, type HealOptions, type SchemaInput } from '../heal/index.ts';
import type { Completion } from './completion.ts';

export interface HealingOptions extends HealingSettings {
  /**
   * How often the model may be called again, with its response and the error, if the response cannot be healed. Defaults
   * to 0. In a stream, the next response follows a `repair` notice.
   */
  readonly repair?: number;
}

export interface TypedCompletion<T> extends Completion {
  /** The typed value of the response. */
  readonly value: T;
  /** The changes that healing made to the text. */
  readonly flags: readonly Flag[];
  /** 0 to 1; exactly 1 if nothing was changed. */
  readonly confidence: number;
}

/** Throws `healing` if there is no value with enough confidence. A response with tool calls has no value yet. */
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

/** With healing off, the text must match the schema exactly. */
export function toHealOptions({ enabled = true, repair: _repair, ...options }: HealingOptions): HealOptions {
  return enabled ? options : { ...options, strict: true, coerceTypes: false };
}

function toHealingError(cause: HealError, { text: written, stopReason, target }: Completion): SimpleAgentsError {
  const { value, flags, confidence, path } = cause;
  const cut = stopReason === 'length' ? ' (the response was cut off at its token limit)' : '';
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

/** Whether another call may help: not after a refusal, and not if the next response would be cut off as well. */
export function isRepairable({ stopReason, toolCalls }: Completion): boolean {
  return (stopReason === 'end' || stopReason === 'stop-sequence') && toolCalls.length === 0;
}

/** The messages for the model: its own response, and what is wrong with it. */
export function repairMessagesFor({ message }: Completion, { message: problem }: SimpleAgentsError): Message[] {
  const { role, content } = message;
  const words = `This answer cannot be used: ${problem}. Answer again with JSON only, and let it fit the schema exactly.`;
  const complaint: Message = { role: 'user', content: [text(words)] };
  return content.length === 0 ? [complaint] : [{ role, content }, complaint];
}
