// The keywords that judge a value by itself: its type, allowed values, bounds, lengths, patterns and formats.

import { isRecord, toStrings } from '../schema/keyword.ts';
import type { JsonSchema } from '../schema/schema.ts';
import { hasFormat } from './format.ts';
import { violates, type KeywordCheck, type LocatedViolation, type Scope } from './scope.ts';

const [lengthCheck, minimumCheck, maximumCheck] = [
  forStrings(checkLength),
  forNumbers(checkMinimum),
  forNumbers(checkMaximum),
];

export const scalarKeywords: Readonly<Record<string, KeywordCheck>> = {
  type: checkType,
  const: checkConstant,
  enum: checkEnum,
  minLength: lengthCheck,
  maxLength: lengthCheck,
  pattern: forStrings(checkPattern),
  format: forStrings(checkFormat),
  minimum: minimumCheck,
  exclusiveMinimum: minimumCheck,
  maximum: maximumCheck,
  exclusiveMaximum: maximumCheck,
  multipleOf: forNumbers(checkMultiple),
};

export function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value) && !(value instanceof Date);
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'number':
      return typeof value === 'bigint' || Number.isFinite(value);
    case 'string':
      // `x-type: date`
      return typeof value === 'string' || value instanceof Date;
    default:
      return typeof value === type;
  }
}

function checkType(scope: Scope): LocatedViolation | undefined {
  const types = toStrings(scope.schema['type']);
  if (types.some((type) => hasType(scope.value, type))) return undefined;
  return { ...violates(scope, `must be of type ${types.join(' or ')}`), isOfOtherType: true };
}

function checkConstant(scope: Scope): LocatedViolation | undefined {
  const { structuralIds } = scope.validation;
  const { const: constant } = scope.schema;
  if (structuralIds.of(constant) === structuralIds.of(scope.value)) return undefined;
  return violatesValues(scope, [constant]);
}

function checkEnum(scope: Scope): LocatedViolation | undefined {
  const { structuralIds } = scope.validation;
  const { enum: values } = scope.schema;
  if (!Array.isArray(values) || structuralIds.ofAll(values).has(structuralIds.of(scope.value))) return undefined;
  return violatesValues(scope, values);
}

/** Maximum number of values in a message. */
const maxListed = 20;

function violatesValues(scope: Scope, allowed: readonly unknown[]): LocatedViolation {
  const shown = allowed.slice(0, maxListed).map((value) => shorten(JSON.stringify(value) ?? ''));
  const isOfOtherType = !allowed.slice(0, maxListed).some((value) => typeof value === typeof scope.value);
  const more = allowed.length > maxListed ? ' or …' : '';
  return { ...violates(scope, `must be ${shown.join(' or ')}${more}`), isOfOtherType };
}

/** Roughly how many characters of a string are examined in the time of one step. */
const charactersPerStep = 32;

function forStrings(check: (scope: Scope, text: string) => LocatedViolation | undefined): KeywordCheck {
  return (scope) => {
    if (typeof scope.value !== 'string') return undefined;
    scope.validation.budget.spend(scope.value.length / charactersPerStep);
    return check(scope, scope.value);
  };
}

function checkLength(scope: Scope, text: string): LocatedViolation | undefined {
  const [least, most] = [limitOf(scope.schema, 'minLength', 0), limitOf(scope.schema, 'maxLength', Infinity)];
  const length = countCharacters(text);
  if (length < least) return violates(scope, `must have at least ${least} characters`);
  return length > most ? violates(scope, `must have at most ${most} characters`) : undefined;
}

/** Counts a surrogate pair as one character. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

function checkPattern(scope: Scope, text: string): LocatedViolation | undefined {
  const { pattern } = scope.schema;
  if (typeof pattern !== 'string' || scope.validation.matches(pattern, text, scope.position) !== false)
    return undefined;
  return violates(scope, `must match ${shorten(pattern)}`);
}

function checkFormat(scope: Scope, text: string): LocatedViolation | undefined {
  const { format } = scope.schema;
  if (typeof format !== 'string' || hasFormat(text, format)) return undefined;
  return violates(scope, `must be a valid ${shorten(format)}, not ${shorten(JSON.stringify(text))}`);
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function forNumbers(check: (scope: Scope, value: number) => LocatedViolation | undefined): KeywordCheck {
  return (scope) =>
    typeof scope.value === 'number' || typeof scope.value === 'bigint' ? check(scope, Number(scope.value)) : undefined;
}

/** In draft 4, `exclusiveMinimum` is a boolean that makes `minimum` exclusive. */
function checkMinimum(scope: Scope, value: number): LocatedViolation | undefined {
  const least = limitOf(scope.schema, 'minimum', -Infinity);
  const bound =
    scope.schema['exclusiveMinimum'] === true ? least : limitOf(scope.schema, 'exclusiveMinimum', -Infinity);
  if (value <= bound) return violates(scope, `must be greater than ${bound}`);
  return value < least ? violates(scope, `must be at least ${least}`) : undefined;
}

function checkMaximum(scope: Scope, value: number): LocatedViolation | undefined {
  const most = limitOf(scope.schema, 'maximum', Infinity);
  const bound = scope.schema['exclusiveMaximum'] === true ? most : limitOf(scope.schema, 'exclusiveMaximum', Infinity);
  if (value >= bound) return violates(scope, `must be less than ${bound}`);
  return value > most ? violates(scope, `must be at most ${most}`) : undefined;
}

function checkMultiple(scope: Scope, value: number): LocatedViolation | undefined {
  const step = limitOf(scope.schema, 'multipleOf', 0);
  const times = value / step;
  if (step <= 0 || Math.abs(times - Math.round(times)) < 1e-9) return undefined;
  return violates(scope, `must be a multiple of ${step}`);
}

export function limitOf(schema: JsonSchema, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === 'number' ? value : otherwise;
}
