// The constraints of a JSON Schema, checked on the finished value: lengths, bounds, patterns, formats. They say nothing
// about how a text is read, so a value that breaks one is refused, not bent. Libraries with a validation of their own
// have checked theirs already.

import type { PathKey } from './flag.ts';
import type { ArraySchema, JsonSchema, ObjectSchema, SchemaNode } from './schema.ts';

export interface Violation {
  readonly path: readonly PathKey[];
  readonly message: string;
}

/** Deeper parts are not looked at. */
const deepest = 400;

const keywords = [
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

const constrained = new WeakMap<SchemaNode, boolean>();

/** The first constraint that the value breaks. */
export function findViolation(schema: SchemaNode, value: unknown): Violation | undefined {
  return isConstrained(schema) ? violationIn(schema, value, []) : undefined;
}

/** Whether a constraint stands anywhere in the schema. */
function isConstrained(schema: SchemaNode): boolean {
  const known = constrained.get(schema);
  if (known !== undefined) return known;
  const reached = new Set<SchemaNode>([schema]);
  for (const each of reached) for (const part of partsOf(each)) reached.add(part);
  const found = [...reached].some(({ source }) => keywords.some((keyword) => keyword in source));
  constrained.set(schema, found);
  return found;
}

function partsOf(schema: SchemaNode): readonly SchemaNode[] {
  if (schema.kind === 'union') return schema.arms;
  if (schema.kind === 'array') return [...schema.prefix, schema.items];
  if (schema.kind !== 'object') return [];
  const fields = Array.from(schema.fields.values(), (field) => field.schema);
  return schema.rest === undefined ? fields : [...fields, schema.rest];
}

function violationIn(schema: SchemaNode, value: unknown, path: readonly PathKey[]): Violation | undefined {
  if (path.length > deepest) return undefined;
  const message = brokenRule(schema.source, value);
  if (message !== undefined) return { path, message };
  if (schema.kind === 'union') return violationInUnion(schema.arms, value, path);
  if (schema.kind === 'array' && Array.isArray(value)) return violationInItems(schema, value, path);
  if (schema.kind !== 'object' || typeof value !== 'object' || value === null) return undefined;
  return violationInMembers(schema, value as Record<string, unknown>, path);
}

/** One arm that is satisfied is enough; else the first that is of the value's kind tells. */
function violationInUnion(
  arms: readonly SchemaNode[],
  value: unknown,
  path: readonly PathKey[],
): Violation | undefined {
  const fitting = arms.filter((arm) => isOfKind(arm, value));
  let first: Violation | undefined;
  for (const arm of fitting) {
    const violation = violationIn(arm, value, path);
    if (violation === undefined) return undefined;
    first ??= violation;
  }
  return first;
}

function isOfKind(schema: SchemaNode, value: unknown): boolean {
  switch (schema.kind) {
    case 'any':
    case 'union':
      return true;
    case 'enum':
      return schema.values.includes(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'never':
      return false;
    default:
      return typeof value === schema.kind || (schema.kind === 'number' && typeof value === 'bigint');
  }
}

function violationInItems(
  schema: ArraySchema,
  items: readonly unknown[],
  path: readonly PathKey[],
): Violation | undefined {
  for (const [index, item] of items.entries()) {
    const violation = violationIn(schema.prefix[index] ?? schema.items, item, [...path, index]);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function violationInMembers(
  schema: ObjectSchema,
  members: Record<string, unknown>,
  path: readonly PathKey[],
): Violation | undefined {
  for (const [name, member] of Object.entries(members)) {
    const declared = schema.fields.get(name)?.schema ?? schema.rest;
    const violation = declared === undefined ? undefined : violationIn(declared, member, [...path, name]);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** What the schema says of just this value, and it does not keep. */
function brokenRule(source: JsonSchema, value: unknown): string | undefined {
  if (typeof value === 'string') return brokenText(source, value);
  if (typeof value === 'number' || typeof value === 'bigint') return brokenNumber(source, Number(value));
  if (Array.isArray(value)) return brokenList(source, value);
  return typeof value === 'object' && value !== null ? brokenMap(source, value) : undefined;
}

function brokenText(source: JsonSchema, text: string): string | undefined {
  const length = 'minLength' in source || 'maxLength' in source ? Array.from(text).length : 0;
  if (length < limit(source, 'minLength', 0)) return `must have at least ${limit(source, 'minLength', 0)} characters`;
  if (length > limit(source, 'maxLength', Infinity))
    return `must have at most ${limit(source, 'maxLength', 0)} characters`;
  const { pattern, format } = source;
  if (typeof pattern === 'string' && !matches(pattern, text)) return `must match ${pattern}`;
  const form = typeof format === 'string' ? formats.get(format) : undefined;
  return form === undefined || form.test(text) ? undefined : `must be a valid ${String(format)}`;
}

/** A pattern that is no regular expression of ours holds nothing. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

const formats: ReadonlyMap<string, RegExp> = new Map([
  ['date', /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/],
  ['time', /^\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i],
  ['date-time', /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i],
  ['email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['uri', /^[a-z][a-z\d+.-]*:\S+$/i],
  ['uuid', /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i],
  ['ipv4', /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/],
]);

function brokenNumber(source: JsonSchema, value: number): string | undefined {
  if (value < limit(source, 'minimum', -Infinity)) return `must be at least ${limit(source, 'minimum', 0)}`;
  if (value > limit(source, 'maximum', Infinity)) return `must be at most ${limit(source, 'maximum', 0)}`;
  if (value <= limit(source, 'exclusiveMinimum', -Infinity))
    return `must be more than ${limit(source, 'exclusiveMinimum', 0)}`;
  if (value >= limit(source, 'exclusiveMaximum', Infinity))
    return `must be less than ${limit(source, 'exclusiveMaximum', 0)}`;
  const step = limit(source, 'multipleOf', 0);
  if (step <= 0) return undefined;
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 ? undefined : `must be a multiple of ${step}`;
}

function brokenList(source: JsonSchema, items: readonly unknown[]): string | undefined {
  if (items.length < limit(source, 'minItems', 0)) return `must have at least ${limit(source, 'minItems', 0)} items`;
  if (items.length > limit(source, 'maxItems', Infinity))
    return `must have at most ${limit(source, 'maxItems', 0)} items`;
  if (source['uniqueItems'] !== true) return undefined;
  return new Set(items.map((item) => JSON.stringify(item))).size === items.length ? undefined : 'must not repeat items';
}

function brokenMap(source: JsonSchema, members: object): string | undefined {
  if (!('minProperties' in source) && !('maxProperties' in source)) return undefined;
  const count = Object.keys(members).length;
  if (count < limit(source, 'minProperties', 0))
    return `must have at least ${limit(source, 'minProperties', 0)} members`;
  return count > limit(source, 'maxProperties', Infinity)
    ? `must have at most ${limit(source, 'maxProperties', 0)} members`
    : undefined;
}

function limit(source: JsonSchema, keyword: string, otherwise: number): number {
  const value = source[keyword];
  return typeof value === 'number' ? value : otherwise;
}
