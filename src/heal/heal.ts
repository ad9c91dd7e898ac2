// One-shot healing: turns a complete text into a value.

import { HealBudget } from './budget.ts';
import { validate } from './validate/validation.ts';
import { formatPath, HealError } from './report/error.ts';
import { maxRecursionDepth, matchesExactly, matchesLoosely } from './coerce/exact-match.ts';
import { withoutDefaults } from './coerce/unfill.ts';
import { flagWeights } from './report/flag-weights.ts';
import { canBeJson, jsonEnd, jsonStart, parseJson } from './parse/json-text.ts';
import type { HealOptions, HealResult } from './option.ts';
import { HealSession } from './session.ts';
import type { HealTarget } from './schema/heal-target.ts';
import type { JsonSchema } from './schema/schema.ts';
import {
  isStandard,
  toTarget,
  validateStandard,
  type InferOutput,
  type SchemaArgument,
  type SchemaInput,
} from './schema/schema-input.ts';
import { healEmbeddedJson } from './parse/embedded-json.ts';

/**
 * Returns the value that a text was meant to be. Throws `HealError` if there is none, or if the confidence is too low.
 */
export function heal(text: string, schema?: undefined, options?: HealOptions): HealResult;
export function heal<const S extends SchemaInput>(
  text: string,
  schema: S & SchemaArgument<S>,
  options?: HealOptions,
): HealResult<InferOutput<S>>;
export function heal(text: string, schema?: SchemaInput, options: HealOptions = {}): HealResult {
  if (typeof text !== 'string') throw new TypeError('heal: the text must be a string');
  const { budget = new HealBudget() } = options;
  budget.addText(text.length);
  const target = schema === undefined ? undefined : toTarget(schema, budget);
  const budgeted = { ...options, budget };
  return accept(healOnce(text, target, budgeted), schema, budgeted);
}

/** Texts up to this length are healed in one go, longer ones in slices of this length. */
const sliceLength = 16 * 1024;

/**
 * Like `heal`, but awaits `pause` between slices of the text so that other work can run. With a per-turn budget limit,
 * no turn takes long.
 */
export async function healInTurns(
  text: string,
  schema: SchemaInput,
  options: HealOptions,
  pause: () => Promise<void>,
): Promise<HealResult> {
  if (text.length <= sliceLength) return heal(text, schema, options);
  const { budget = new HealBudget() } = options;
  const budgeted = { ...options, budget };
  const yieldTurn = async (): Promise<void> => {
    await pause();
    budget.startTurn();
  };
  const target = toTarget(schema, budget);
  await yieldTurn();
  const valid = readValidJson(text, target, budgeted);
  const quick = valid?.isFinal === true ? valid.result : healEmbeddedJson(text, target, budgeted);
  if (quick !== undefined) {
    await yieldTurn();
    return accept(quick, schema, budgeted);
  }
  const session = new HealSession(target, budgeted);
  for (let at = 0; at < text.length; at += sliceLength) {
    await yieldTurn();
    session.push(text.slice(at, at + sliceLength));
  }
  await yieldTurn();
  const result = session.finish();
  await yieldTurn();
  return accept(preferValid(result, valid, target, budgeted), schema, budgeted);
}

function healOnce(text: string, target: HealTarget | undefined, options: HealOptions): HealResult {
  return healWith(text, target, options, () => new HealSession(target, options, { valuesOnly: true }).finish(text));
}

/** `finish` coerces the text. It is called only if the text is not valid JSON that can be taken as it is. */
function healWith(
  text: string,
  target: HealTarget | undefined,
  options: HealOptions,
  finish: () => HealResult,
): HealResult {
  const valid = readValidJson(text, target, options);
  if (valid?.isFinal === true) return valid.result;
  return healEmbeddedJson(text, target, options) ?? preferValid(finish(), valid, target, options);
}

/** A text that is valid JSON, with a value that is valid by the schema. */
interface ValidJson {
  readonly result: HealResult;
  /** False if coercion has to leave out undeclared members, fill in defaults or convert to types that JSON lacks. */
  readonly isFinal: boolean;
}

/** Fast path: the text is valid JSON, and its value is valid by the schema. Such a value is never coerced. */
function readValidJson(text: string, target: HealTarget | undefined, options: HealOptions): ValidJson | undefined {
  const { maxBytes, maxDepth = maxRecursionDepth, budget = new HealBudget() } = options;
  if (maxBytes !== undefined && text.length > maxBytes) return undefined;
  const parsed = canBeJson(text, jsonStart(text), jsonEnd(text)) ? parseJson(text) : undefined;
  if (parsed === undefined) return undefined;
  const { value } = parsed;
  const result = { value, flags: [], confidence: 1 };
  const depth = Math.min(maxDepth, maxRecursionDepth);
  if (target === undefined || matchesExactly(target.schema, value, { depth, budget })) return { result, isFinal: true };
  if (!isValid(target, value, options)) return undefined;
  return { result, isFinal: !matchesLoosely(target.schema, value, budget) };
}

/** Coercion may make a valid value invalid, for example if it leaves out a member that `minProperties` counts. */
function preferValid(
  coerced: HealResult,
  valid: ValidJson | undefined,
  target: HealTarget | undefined,
  options: HealOptions,
): HealResult {
  return valid === undefined || target === undefined || isValid(target, coerced.value, options)
    ? coerced
    : valid.result;
}

/** Whether the value is valid by a plain JSON Schema. False for schema libraries, which validate the coerced value. */
function isValid({ validation }: HealTarget, value: unknown, options: HealOptions): boolean {
  return validation !== undefined && validate(validation, value, options).violation === undefined;
}

/** Whether the text is JSON that the JSON Schema allows as it is. A text that cannot be checked within the budget is not. */
export function isValidText(
  text: string,
  schema: JsonSchema,
  options: Pick<HealOptions, 'patterns' | 'budget'> = {},
): boolean {
  const { budget = new HealBudget() } = options;
  const parsed = parseJson(text);
  if (parsed === undefined) return false;
  try {
    budget.addText(text.length);
    const { validation } = toTarget(schema, budget);
    if (validation === undefined) return false;
    const { violation, unchecked } = validate(validation, parsed.value, { ...options, budget });
    return violation === undefined && unchecked.length === 0;
  } catch (error) {
    if (error instanceof HealError) return false;
    throw error;
  }
}

/** Ends a session whose text has been pushed: the same result as `heal` on the entire text, before the last checks. */
export function finishSession(session: HealSession, target: HealTarget | undefined, options: HealOptions): HealResult {
  const { text } = session;
  return healWith(text, target, options, () => session.finish());
}

/** The checks after healing, shared by `heal` and streams: strict mode, the schema's own validation, confidence. */
export function accept(result: HealResult, schema: SchemaInput | undefined, options: HealOptions): HealResult {
  const { strict = false } = options;
  if (strict) throwOnFlags(result);
  const checked = schema === undefined ? result : check(result, schema, options);
  if (strict) throwOnFlags(checked);
  return checkConfidence(checked, options);
}

export function checkConfidence(result: HealResult, { minConfidence = 0.7 }: HealOptions): HealResult {
  if (result.confidence >= minConfidence) return result;
  const sure = result.confidence.toFixed(2);
  throw new HealError(
    'low-confidence',
    `the value is uncertain: confidence ${sure} is below the minimum of ${minConfidence}`,
    result,
  );
}

function throwOnFlags(result: HealResult): void {
  const kinds = [...new Set(result.flags.map((flag) => flag.kind))].filter((kind) => kind !== 'dropped-field');
  if (kinds.length === 0) return;
  const isUnchecked = kinds.length === 1 && kinds[0] === 'unchecked-pattern';
  const problem = isUnchecked ? 'a pattern of the schema could not be checked' : 'the text had to be changed';
  throw new HealError('strict', `${problem}: ${kinds.join(', ')}`, result);
}

/** A schema library runs its own validation. A plain JSON Schema is validated here. */
function check(result: HealResult, schema: SchemaInput, options: HealOptions): HealResult {
  if (isStandard(schema)) return { ...result, value: validateStandard(schema, result) };
  const { validation } = toTarget(schema);
  if (validation?.isConstrained !== true) return result;
  const { violation, unchecked } = validate(validation, result.value, options);
  if (violation !== undefined) {
    const unfilled = withoutDefaults(result);
    // Defaults may be invalid themselves, or together. A value that is valid without them needs none.
    if (unfilled !== undefined && isValid(toTarget(schema), unfilled.value, options)) return unfilled;
    const { path, message } = violation;
    throw new HealError('invalid-value', `${formatPath(path)}: ${message}`, { ...result, path });
  }
  if (unchecked.length === 0) return result;
  const trust = (1 - flagWeights['unchecked-pattern']) ** unchecked.length;
  return { ...result, flags: [...result.flags, ...unchecked], confidence: result.confidence * trust };
}
