// Runs one healing request, complete or partial, for the `heal` command.

import { SimpleAgentsError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import { heal, HealError, healStream, type Flag, type HealOptions, type SchemaInput } from '../../../heal/index.ts';

export interface HealRequest {
  readonly text: string;
  readonly schema?: SchemaInput;
  /** `partial`: the text is incomplete. */
  readonly mode?: 'final' | 'partial';
  readonly options?: HealOptions;
}

export interface HealOutcome {
  readonly value: unknown;
  readonly flags: readonly Flag[];
  readonly confidence: number;
}

/** Throws `HealError` if there is no value. */
export function runHealRequest({ text, schema, mode = 'final', options = {} }: HealRequest): HealOutcome {
  if (mode === 'partial') return healPartial(text, schema, options);
  return schema === undefined ? heal(text, undefined, options) : heal(text, schema, options);
}

function healPartial(text: string, schema: SchemaInput | undefined, options: HealOptions): HealOutcome {
  const stream = schema === undefined ? healStream(undefined, options) : healStream(schema, options);
  stream.push(text);
  stream.settle();
  const { partial } = stream;
  if (partial === undefined) throw new HealError('no-value', 'the text contains no value yet');
  const { flags, confidence } = judge({ text, ...omitUndefined({ schema }), options });
  return { value: partial, flags, confidence };
}

/** The flags and confidence if the text ended here. Limits on confidence do not apply to an incomplete text. */
function judge(request: HealRequest): Pick<HealOutcome, 'flags' | 'confidence'> {
  try {
    return runHealRequest({ ...request, options: { ...request.options, strict: false, minConfidence: 0 } });
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return error;
  }
}

/** Converts to the error class of the program. An invalid schema is a bad request. */
export function toFailure(error: HealError): SimpleAgentsError {
  const { kind, message, value, flags, confidence } = error;
  const details = { cause: error, value, flags, confidence };
  const isSchema = kind === 'invalid-schema' || kind === 'schema-too-complex';
  return new SimpleAgentsError(isSchema ? 'bad-request' : 'healing', message, details);
}
