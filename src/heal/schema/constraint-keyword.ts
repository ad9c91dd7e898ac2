// Checks one value against the constraint keywords of one schema: lengths, bounds, patterns, formats. Returns the first
// violation as a phrase to put after the path, such as "must be at least 3".

import type { HealBudget } from '../budget.ts';
import { hasFormat } from './format.ts';
import type { JsonSchema } from './schema.ts';
import type { StructuralIds } from './structural-id.ts';

export interface ConstraintContext {
  readonly budget: HealBudget;
  readonly structuralIds: StructuralIds;
  /** Whether the pattern occurs in the text; `undefined` if that could not be checked. */
  matches(pattern: string, text: string): boolean | undefined;
}

export const constraintKeywords: readonly string[] = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

export function findViolation(source: JsonSchema, value: unknown, context: ConstraintContext): string | undefined {
  if (typeof value === 'string') return stringViolation(source, value, context);
  if (typeof value === 'number' || typeof value === 'bigint') return numberViolation(source, Number(value));
  if (Array.isArray(value)) return arrayViolation(source, value, context);
  return typeof value === 'object' && value !== null ? objectViolation(source, value, context) : undefined;
}

/** Roughly how many characters of a string are examined in the time of one step. */
const charactersPerStep = 32;

function stringViolation(source: JsonSchema, text: string, context: ConstraintContext): string | undefined {
  const { pattern, format } = source;
  context.budget.spend(text.length / charactersPerStep);
  const length = 'minLength' in source || 'maxLength' in source ? countCharacters(text) : 0;
  if (length < limit(source, 'minLength', 0)) return `must have at least ${limit(source, 'minLength', 0)} characters`;
  if (length > limit(source, 'maxLength', Infinity))
    return `must have at most ${limit(source, 'maxLength', 0)} characters`;
  if (typeof pattern === 'string' && context.matches(pattern, text) === false) return `must match ${shorten(pattern)}`;
  return typeof format !== 'string' || hasFormat(text, format) ? undefined : `must be a valid ${shorten(format)}`;
}

/** Counts a surrogate pair as one character. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function numberViolation(source: JsonSchema, value: number): string | undefined {
  if (value < limit(source, 'minimum', -Infinity)) return `must be at least ${limit(source, 'minimum', 0)}`;
  if (value > limit(source, 'maximum', Infinity)) return `must be at most ${limit(source, 'maximum', 0)}`;
  if (value <= limit(source, 'exclusiveMinimum', -Infinity))
    return `must be greater than ${limit(source, 'exclusiveMinimum', 0)}`;
  if (value >= limit(source, 'exclusiveMaximum', Infinity))
    return `must be less than ${limit(source, 'exclusiveMaximum', 0)}`;
  const step = limit(source, 'multipleOf', 0);
  if (step <= 0) return undefined;
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 ? undefined : `must be a multiple of ${step}`;
}

function arrayViolation(
  source: JsonSchema,
  items: readonly unknown[],
  { structuralIds }: ConstraintContext,
): string | undefined {
  if (items.length < limit(source, 'minItems', 0)) return `must have at least ${limit(source, 'minItems', 0)} items`;
  if (items.length > limit(source, 'maxItems', Infinity))
    return `must have at most ${limit(source, 'maxItems', 0)} items`;
  if (source['uniqueItems'] !== true) return undefined;
  return new Set(items.map((item) => structuralIds.of(item))).size === items.length
    ? undefined
    : 'must not have duplicate items';
}

function objectViolation(source: JsonSchema, members: object, { budget }: ConstraintContext): string | undefined {
  if (!('minProperties' in source) && !('maxProperties' in source)) return undefined;
  const count = Object.keys(members).length;
  budget.spend(count);
  if (count < limit(source, 'minProperties', 0))
    return `must have at least ${limit(source, 'minProperties', 0)} properties`;
  return count > limit(source, 'maxProperties', Infinity)
    ? `must have at most ${limit(source, 'maxProperties', 0)} properties`
    : undefined;
}

function limit(source: JsonSchema, keyword: string, otherwise: number): number {
  const value = source[keyword];
  return typeof value === 'number' ? value : otherwise;
}
