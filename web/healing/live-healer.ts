// Heals the text shown so far. Text that continues the last one is pushed to the same stream; other text starts a new one.
// Flags of unfinished text come from healing it as if it ended here, without those that only say that it is unfinished.

import { flagLooks } from './flag-title.ts';
import { heal, HealError, healStream, type Flag, type HealStream, type JsonSchema } from '../../src/heal/index.ts';

export interface Healed {
  /** Undefined while nothing can be seen. */
  readonly value: unknown;
  readonly flags: readonly Flag[];
  /** Of the complete text. */
  readonly confidence?: number;
  /** Why the complete text cannot be healed. */
  readonly error?: string;
}

/** Longer texts show their flags only at the end, because the text is healed again for each frame. */
const longestAgain = 20_000;

const options = { locate: true, minConfidence: 0 };

export class LiveHealer {
  readonly #schema: JsonSchema;
  /** Fields that have not arrived yet are not an error. */
  readonly #unfinishedSchema: JsonSchema;
  #stream: HealStream;
  #pushed = '';

  constructor(schema: JsonSchema) {
    this.#schema = schema;
    this.#unfinishedSchema = withoutRequired(schema) as JsonSchema;
    this.#stream = this.#open();
  }

  show(text: string, isComplete: boolean): Healed {
    try {
      return isComplete ? this.#final(text) : this.#partial(text);
    } catch (error) {
      if (!(error instanceof HealError)) throw error;
      const { value, flags, message } = error;
      return { value, flags, ...(isComplete ? { error: message, confidence: 0 } : {}) };
    }
  }

  #final(text: string): Healed {
    const { value, flags, confidence } = heal(text, this.#schema, options);
    return { value, flags, confidence };
  }

  #partial(text: string): Healed {
    if (!text.startsWith(this.#pushed)) this.#restart();
    this.#stream.push(text.slice(this.#pushed.length));
    this.#pushed = text;
    const flags = text.length > longestAgain ? [] : this.#settledFlags(text);
    return { value: withEmptyListsLast(this.#stream.snapshot()), flags };
  }

  /** Flags about text that can still change are left out. */
  #settledFlags(text: string): readonly Flag[] {
    const flags = flagsOf(text, this.#unfinishedSchema);
    return flags.filter(({ kind, at }) => {
      if (at === undefined || kind === 'closed-truncated') return false;
      return flagLooks[kind].style === 'around' || at[1] < text.length - 1;
    });
  }

  #restart(): void {
    this.#pushed = '';
    this.#stream = this.#open();
  }

  #open(): HealStream {
    return healStream(this.#schema, options);
  }
}

/** A required list is part of the value before its key arrives. It must not be shown before the fields that are written. */
function withEmptyListsLast(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withEmptyListsLast);
  const entries = Object.entries(value).map(([key, member]) => [key, withEmptyListsLast(member)] as const);
  const written = entries.filter(([, member]) => !isEmptyList(member));
  return Object.fromEntries([...written, ...entries.filter(([, member]) => isEmptyList(member))]);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function flagsOf(text: string, schema: JsonSchema): readonly Flag[] {
  try {
    return heal(text, schema, options).flags;
  } catch (error) {
    if (error instanceof HealError) return error.flags;
    throw error;
  }
}

function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key, value]) => !(key === 'required' && Array.isArray(value)));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutRequired(value)]));
}

/** The problem of a schema that healing refuses. */
export function checkSchema(schema: JsonSchema): string | undefined {
  try {
    heal('null', schema, options);
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    // Other kinds are about the text.
    if (error.kind === 'invalid-schema' || error.kind === 'schema-too-complex') return error.message;
  }
  return undefined;
}
