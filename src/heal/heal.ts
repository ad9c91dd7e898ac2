// Text in, value out: the one-shot face of healing.

import { HealError } from './error.ts';
import { deepest, fits } from './fit.ts';
import { canBeJson, jsonEnd, jsonStart, parseJson } from './json-text.ts';
import type { HealOptions, HealResult } from './option.ts';
import { HealSession } from './session.ts';
import type { Target } from './target.ts';
import { toTarget, validate, type InferOutput, type SchemaArgument, type SchemaInput } from './standard.ts';
import { healWrapped } from './wrapped.ts';

/** The value a text was meant to be. Throws `HealError` when there is none, or none that is sure enough. */
export function heal(text: string, schema?: undefined, options?: HealOptions): HealResult;
export function heal<const S extends SchemaInput>(
  text: string,
  schema: S & SchemaArgument<S>,
  options?: HealOptions,
): HealResult<InferOutput<S>>;
export function heal(text: string, schema?: SchemaInput, options: HealOptions = {}): HealResult {
  const target = schema === undefined ? undefined : toTarget(schema);
  return accept(healOnce(text, target, options), schema, options);
}

/** How many texts in a row `JSON.parse` would have refused. It decides only what is tried first, never what comes of it. */
let damagedInARow = 0;

/** Who has broken JSON so often will break it again. To read a valid text first costs more than the errors of many others. */
const habit = 32;

function healOnce(text: string, target: Target | undefined, options: HealOptions): HealResult {
  if (damagedInARow >= habit) return healBeforeParsing(text, target, options);
  const result = healQuickly(text, target, options);
  damagedInARow = result === undefined ? damagedInARow + 1 : 0;
  return result ?? healWrapped(text, target, options) ?? healText(text, target, options);
}

/**
 * Reads first, and has `JSON.parse` try only a text that is not proved to be no JSON on the way: where it fails, it takes a
 * fifth of the time of healing a short text.
 */
export function healBeforeParsing(text: string, target: Target | undefined, options: HealOptions): HealResult {
  const wrapped = healWrapped(text, target, options);
  if (wrapped !== undefined) return wrapped;
  const session = new HealSession(target, options, { valuesOnly: true });
  let result: HealResult | undefined;
  let refusal: unknown;
  try {
    result = session.finish(text);
  } catch (error) {
    refusal = error;
  }
  const parsed = session.machine.breaksJson(text) ? undefined : healQuickly(text, target, options);
  if (parsed !== undefined) damagedInARow = 0;
  else if (result === undefined) throw refusal;
  return parsed ?? (result as HealResult);
}

/** Valid JSON that already is what it should be. */
export function healQuickly(
  text: string,
  target: Target | undefined,
  { maxBytes, maxDepth = deepest }: HealOptions,
): HealResult | undefined {
  if (maxBytes !== undefined && text.length > maxBytes) return undefined;
  const parsed = canBeJson(text, jsonStart(text), jsonEnd(text)) ? parseJson(text) : undefined;
  if (parsed === undefined) return undefined;
  const { value } = parsed;
  return target === undefined || fits(target.schema, value, Math.min(maxDepth, deepest))
    ? { value, flags: [], confidence: 1 }
    : undefined;
}

function healText(text: string, target: Target | undefined, options: HealOptions): HealResult {
  const session = new HealSession(target, options, { valuesOnly: true });
  return session.finish(text);
}

/** What comes after healing, the same for one text and for a stream: strictness, confidence, the user's own checks. */
export function accept(result: HealResult, schema: SchemaInput | undefined, options: HealOptions): HealResult {
  const { strict = false } = options;
  if (strict && result.flags.length > 0) {
    const kinds = [...new Set(result.flags.map((flag) => flag.kind))].join(', ');
    throw new HealError('strict', `the text had to be changed: ${kinds}`, result);
  }
  return checkConfidence(schema === undefined ? result : { ...result, value: validate(schema, result) }, options);
}

export function checkConfidence(result: HealResult, { minConfidence = 0.7 }: HealOptions): HealResult {
  if (result.confidence >= minConfidence) return result;
  const sure = result.confidence.toFixed(2);
  throw new HealError('low-confidence', `the value is a guess: confidence ${sure} is below ${minConfidence}`, result);
}
