// The outcome of healing a text as data, in one piece or in chunks: a result, or the kind of its HealError. Other
// errors are not caught, because they are bugs.

import {
  HealError,
  heal,
  healArgumentText,
  healStream,
  healText,
  type Flag,
  type HealedText,
  type HealErrorKind,
  type HealOptions,
  type JsonSchema,
  type SchemaInput,
} from '../../src/heal/index.ts';

export type Outcome = Healed | Refused;

export interface Healed {
  readonly value: unknown;
  readonly flags: readonly Flag[];
  readonly confidence: number;
}

export interface Refused {
  readonly error: HealErrorKind;
  readonly message: string;
  readonly flags: readonly Flag[];
  readonly confidence: number;
}

export function outcomeOf(run: () => Healed): Outcome {
  try {
    const { value, flags, confidence } = run();
    return { value, flags, confidence };
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return { error: error.kind, message: error.message, flags: error.flags, confidence: error.confidence };
  }
}

export function isRefused(outcome: Outcome): outcome is Refused {
  return 'error' in outcome;
}

export function healWhole(text: string, schema?: SchemaInput, options?: HealOptions): Outcome {
  return outcomeOf(() => (schema === undefined ? heal(text, undefined, options) : heal(text, schema, options)));
}

export function healChunks(chunks: readonly string[], schema?: SchemaInput, options?: HealOptions): Outcome {
  return outcomeOf(() => {
    const stream = schema === undefined ? healStream(undefined, options) : healStream(schema, options);
    for (const chunk of chunks) stream.push(chunk);
    return stream.end();
  });
}

/** The JSON text that was sent, and the outcome. */
export interface Sent {
  readonly sent: string;
  readonly outcome: Outcome;
}

/** What `healText` sends. */
export function sendChunks(chunks: readonly string[], schema: JsonSchema, options?: HealOptions): Sent {
  return send(chunks, () => healText(schema, options));
}

/** What `healArgumentText` sends. */
export function sendArguments(chunks: readonly string[], schema: JsonSchema, options?: HealOptions): Sent {
  return send(chunks, () => healArgumentText(schema, options));
}

function send(chunks: readonly string[], start: () => HealedText): Sent {
  let sent = '';
  const outcome = outcomeOf(() => {
    const writer = start();
    for (const chunk of chunks) sent += writer.push(chunk);
    const end = writer.end();
    sent += end.text;
    return end;
  });
  return { sent, outcome };
}
