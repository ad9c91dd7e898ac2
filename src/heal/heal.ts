// Text in, value out: the one-shot face of healing.

import { HealError } from './error.ts';
import { fits } from './fit.ts';
import type { HealOptions, HealResult } from './option.ts';
import { HealSession, type Target } from './session.ts';
import { toTarget, validate, type InferOutput, type SchemaInput } from './standard.ts';

/** The value a text was meant to be. Throws `HealError` when there is none, or none that is sure enough. */
export function heal(text: string, schema?: undefined, options?: HealOptions): HealResult;
export function heal<const S extends SchemaInput>(
  text: string,
  schema: S,
  options?: HealOptions,
): HealResult<InferOutput<S>>;
export function heal(text: string, schema?: SchemaInput, options: HealOptions = {}): HealResult {
  const target = schema === undefined ? undefined : toTarget(schema);
  return accept(healQuickly(text, target, options) ?? healText(text, target, options), schema, options);
}

/** Valid JSON that already is what it should be. */
export function healQuickly(
  text: string,
  target: Target | undefined,
  { maxBytes }: HealOptions,
): HealResult | undefined {
  if (maxBytes !== undefined && text.length > maxBytes) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return target === undefined || fits(target.schema, value) ? { value, flags: [], confidence: 1 } : undefined;
  } catch {
    return undefined;
  }
}

function healText(text: string, target: Target | undefined, options: HealOptions): HealResult {
  const session = new HealSession(target, options);
  session.push(text);
  return session.finish();
}

/** What comes after healing, the same for one text and for a stream: strictness, confidence, the user's own checks. */
export function accept(result: HealResult, schema: SchemaInput | undefined, options: HealOptions): HealResult {
  const { strict = false, minConfidence = 0.7 } = options;
  if (strict && result.flags.length > 0) {
    const kinds = [...new Set(result.flags.map((flag) => flag.kind))].join(', ');
    throw new HealError('strict', `the text had to be changed: ${kinds}`, result);
  }
  const checked = schema === undefined ? result : { ...result, value: validate(schema, result) };
  if (result.confidence < minConfidence) {
    const sure = result.confidence.toFixed(2);
    throw new HealError(
      'low-confidence',
      `the value is a guess: confidence ${sure} is below ${minConfidence}`,
      checked,
    );
  }
  return checked;
}
