// Measures a finished node against its candidate schemas. Children have been measured before, so each result is
// made from results: no recursion, each node once.

import { fieldOf, onlyField, type CandidateSet } from './candidate.ts';
import { matchEnum } from './enumeration.ts';
import { setMember, type Node } from './node.ts';
import { readBigInt, readNumber } from './number.ts';
import { changed, exact, markOn, type Result } from './result.ts';
import type { ArraySchema, EnumSchema, Field, NumberSchema, ObjectSchema, SchemaNode, UnionSchema } from './schema.ts';

/** A node with what it is under each candidate of its set; `null` where it cannot be that. */
export interface Measured {
  readonly set: CandidateSet;
  readonly results: readonly (Result | null)[];
}

export interface CoerceContext {
  readonly coerceTypes: boolean;
  measured(node: Node): Measured | undefined;
  /** The text a node was read from. */
  sourceOf(node: Node): string;
  /** A string that holds JSON itself, read as this schema. */
  parseInside(text: string, schema: SchemaNode): Result | null;
}

/**
 * First what the node is by itself under each schema, then the unions, and only then what it could be wrapped as: a
 * recursive schema may wrap itself, and must not be asked before it has answered.
 */
export function measure(node: Node, set: CandidateSet, context: CoerceContext): Measured {
  const results: (Result | null)[] = Array.from(set.schemas, () => null);
  if (node.kind === 'missing') return { set, results };
  const here = (schema: SchemaNode): Result | null => results[set.placeOf(schema)] ?? null;
  let wrappable = false;
  for (const [index, schema] of set.schemas.entries()) {
    if (schema.kind === 'union') continue;
    results[index] = coerce(node, schema, nowhere, context);
    wrappable ||= results[index] === null && (schema.kind === 'array' || schema.kind === 'object');
  }
  unite(set, results, here);
  if (!wrappable || !context.coerceTypes) return { set, results };
  for (const [index, schema] of set.schemas.entries()) {
    if (results[index] === null && schema.kind !== 'union') results[index] = coerce(node, schema, here, context);
  }
  unite(set, results, here);
  return { set, results };
}

function unite(set: CandidateSet, results: (Result | null)[], here: Here): void {
  for (const [index, schema] of set.schemas.entries()) {
    if (schema.kind === 'union') results[index] = cheapest(schema, here);
  }
}

type Here = (schema: SchemaNode) => Result | null;

function nowhere(): null {
  return null;
}

function coerce(node: Node, schema: SchemaNode, here: Here, context: CoerceContext): Result | null {
  switch (schema.kind) {
    case 'any':
      return exact(node.value);
    case 'never':
      return null;
    case 'object':
      return coerceObject(node, schema, here, context);
    case 'array':
      return coerceArray(node, schema, here, context);
    default:
      return coerceScalar(node, schema, context);
  }
}

/** Ties go to the first declared. */
function cheapest(schema: UnionSchema, here: Here): Result | null {
  let best: Result | null = null;
  for (const arm of schema.arms) {
    const result = here(arm);
    if (result !== null && (best === null || result.cost < best.cost)) best = result;
  }
  return best;
}

function coerceScalar(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  const direct = coerceDirect(node, schema, context);
  if (direct !== null || !context.coerceTypes) return direct;
  if (node.kind === 'array') return coerceElement(node, schema, context);
  return node.kind === 'object' ? coerceOnlyMember(node, schema, context) : null;
}

function coerceDirect(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  switch (schema.kind) {
    case 'string':
      return coerceString(node, schema.isDate, context);
    case 'number':
      return coerceNumber(node, schema, context);
    case 'boolean':
      return coerceBoolean(node, context);
    case 'null':
      return coerceNull(node, context);
    case 'enum':
      return coerceEnum(node, schema, context);
    default:
      return null;
  }
}

function coerceString(node: Node, isDate: boolean, context: CoerceContext): Result | null {
  if (node.kind === 'string') {
    const text = node.value as string;
    if (!isDate) return exact(text);
    const date = new Date(text);
    return Number.isNaN(date.getTime())
      ? null
      : changed(date, [markOn(node, 'type-coercion', { from: 'string', to: 'date' })]);
  }
  if (node.kind === 'null' || !context.coerceTypes || isDate) return null;
  if (node.kind === 'object' || node.kind === 'array') {
    return changed(context.sourceOf(node), [markOn(node, 'used-source-text', { from: node.kind, to: 'string' })]);
  }
  return changed(node.raw === '' ? String(node.value) : node.raw, [
    markOn(node, 'type-coercion', { from: node.kind, to: 'string' }),
  ]);
}

function coerceNumber(node: Node, schema: NumberSchema, context: CoerceContext): Result | null {
  if (schema.big) return coerceBigInt(node);
  const to = schema.integer ? 'integer' : 'number';
  if (node.kind === 'number') {
    const value = node.value as number;
    if (!Number.isFinite(value)) return null;
    if (/^-?\d{16,}$/.test(node.raw) && !Number.isSafeInteger(value)) {
      return changed(value, [markOn(node, 'precision-lost')]);
    }
    if (!schema.integer || Number.isInteger(value)) return exact(value);
    if (!context.coerceTypes) return null;
    return changed(Math.round(value), [markOn(node, 'rounded-number', { from: String(value), to })]);
  }
  if (node.kind !== 'string' || !context.coerceTypes) return null;
  const read = readNumber(node.value as string, schema.integer);
  if (read === undefined) return null;
  const kind = read.rounded ? 'rounded-number' : 'type-coercion';
  return changed(read.value, [markOn(node, kind, { from: 'string', to })]);
}

function coerceBigInt(node: Node): Result | null {
  const text = node.kind === 'number' ? node.raw : node.kind === 'string' ? (node.value as string) : undefined;
  const value = text === undefined ? undefined : readBigInt(text);
  if (value === undefined) return null;
  return node.kind === 'number'
    ? exact(value)
    : changed(value, [markOn(node, 'type-coercion', { from: 'string', to: 'bigint' })]);
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
]);

function coerceBoolean(node: Node, context: CoerceContext): Result | null {
  if (node.kind === 'boolean') return exact(node.value);
  if (!context.coerceTypes || (node.kind !== 'string' && node.kind !== 'number')) return null;
  const text = String(node.value).trim();
  const truth = truths.get(text.toLowerCase()) ?? mentionedTruth(text);
  if (truth === undefined) return null;
  const kind = truths.has(text.toLowerCase()) ? 'type-coercion' : 'enum-mention';
  return changed(truth, [markOn(node, kind, { from: node.kind, to: 'boolean' })]);
}

/** `Answer: **True**` — if only one of the two is mentioned. */
function mentionedTruth(text: string): boolean | undefined {
  if (text.length > 4000) return undefined;
  const found = new Set(Array.from(text.toLowerCase().matchAll(/\b(true|false)\b/g), (match) => match[1]));
  return found.size === 1 ? found.has('true') : undefined;
}

const nothings = new Set(['null', 'none', 'n/a', 'na', 'nil', '']);

/** Words for nothing; a union that also allows strings prefers the string, which costs nothing. */
function coerceNull(node: Node, context: CoerceContext): Result | null {
  if (node.kind === 'null') return exact(null);
  if (node.kind !== 'string' || !context.coerceTypes) return null;
  if (!nothings.has((node.value as string).trim().toLowerCase())) return null;
  return changed(null, [markOn(node, 'type-coercion', { from: 'string', to: 'null' })]);
}

function coerceEnum(node: Node, schema: EnumSchema, context: CoerceContext): Result | null {
  if (node.kind === 'object' || node.kind === 'array') return null;
  if (schema.values.includes(node.value)) return exact(node.value);
  if (!context.coerceTypes || node.kind === 'null') return null;
  const text = node.raw === '' ? String(node.value) : node.raw;
  const match = matchEnum(schema, text);
  if (match === undefined) return null;
  const kind = match.by === 'mention' ? 'enum-mention' : 'enum-match';
  return changed(match.value, [markOn(node, kind, { expected: String(match.value), found: text.slice(0, 60) })]);
}

/** A list where one is wanted: its only element, else the one that fits best. */
function coerceElement(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  let best: Result | null = null;
  for (const child of node.children) {
    const result = resultOf(child, schema, context);
    if (result !== null && (best === null || result.cost < best.cost)) best = result;
  }
  if (best === null) return null;
  const kind = node.children.length === 1 ? 'unwrapped' : 'chose-element';
  return changed(best.value, [markOn(node, kind)], [best]);
}

/** `{"status": 1}` where a number or one of a few words is wanted. */
function coerceOnlyMember(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  const [child] = node.children;
  if (schema.kind === 'string' || node.children.length !== 1 || child === undefined) return null;
  if (child.kind === 'object' || child.kind === 'array') return null;
  const result = resultOf(child, schema, context);
  return result === null ? null : changed(result.value, [markOn(node, 'unwrapped')], [result]);
}

function resultOf(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  const measured = context.measured(node);
  return measured?.results[measured.set.placeOf(schema)] ?? null;
}

function coerceArray(node: Node, schema: ArraySchema, here: Here, context: CoerceContext): Result | null {
  if (node.kind === 'array') return coerceItems(node, schema, context);
  if (!context.coerceTypes || node.kind === 'null') return null;
  if (node.kind === 'string' && /^\s*[[`]/.test(node.value as string)) {
    const inside = context.parseInside(node.value as string, schema);
    if (inside !== null) return changed(inside.value, [markOn(node, 'parsed-string')], [inside]);
  }
  const unwrapped = node.kind === 'object' ? coerceWrappedList(node, schema, context) : null;
  const item = here(schema.items);
  const wrapped = item === null ? null : changed([item.value], [markOn(node, 'wrapped-in-array')], [item]);
  if (unwrapped === null || wrapped === null) return unwrapped ?? wrapped;
  return wrapped.cost < unwrapped.cost ? wrapped : unwrapped;
}

/** `{"items": […]}` where the list itself is wanted. */
function coerceWrappedList(node: Node, schema: ArraySchema, context: CoerceContext): Result | null {
  const [list] = node.children;
  const isWrapper = node.children.length === 1 && (list?.kind === 'array' || list?.kind === 'object');
  const result = isWrapper ? resultOf(list, schema, context) : null;
  return result === null ? null : changed(result.value, [markOn(node, 'unwrapped')], [result]);
}

function coerceItems(node: Node, schema: ArraySchema, context: CoerceContext): Result | null {
  const values: unknown[] = [];
  const parts: Result[] = [];
  const marks = [];
  let same = true;
  for (const [index, child] of node.children.entries()) {
    const result = resultOf(child, schema.prefix[index] ?? schema.items, context);
    if (result === null) {
      if (child.complete || child.kind !== 'missing') marks.push(markOn(child, 'dropped-item'));
      same = false;
      continue;
    }
    if (result.value !== child.value) same = false;
    values.push(result.value);
    if (result.cost > 0 || result.parts.length > 0) parts.push(result);
  }
  // Where no item fits, the list is as good as missing, unless the text was cut off in its only one.
  if (values.length === 0 && marks.length > 0 && node.children.some((child) => child.end < node.end)) {
    marks.push(markOn(node, 'used-empty-value'));
  }
  return changed(same ? node.value : values, marks, parts);
}

function coerceObject(node: Node, schema: ObjectSchema, here: Here, context: CoerceContext): Result | null {
  if (node.kind === 'object') return coerceMembers(node, schema, here, context);
  if (!context.coerceTypes || node.kind === 'null') return null;
  if (node.kind === 'array') return coerceElement(node, schema, context);
  if (node.kind === 'string') {
    const text = node.value as string;
    const inside = /^\s*[{[`]/.test(text) ? context.parseInside(text, schema) : null;
    return inside === null ? null : changed(inside.value, [markOn(node, 'parsed-string')], [inside]);
  }
  const only = onlyField(schema);
  const value = only === undefined ? null : here(only.schema);
  if (only === undefined || value === null) return null;
  return changed({ [only.name]: value.value }, [markOn(node, 'wrapped-in-object', { field: only.name })], [value]);
}

/** Which child is which field. A later one of the very same name replaces; of several similar names the first counts. */
interface Assignment {
  readonly child: Node;
  readonly key: string;
  readonly isExact: boolean;
}

function coerceMembers(node: Node, schema: ObjectSchema, here: Here, context: CoerceContext): Result | null {
  const marks: ReturnType<typeof markOn>[] = [];
  const assigned = new Map<Field, Assignment>();
  const others = new Map<string, Node>();
  for (const [index, child] of node.children.entries()) {
    const key = node.keys[index] ?? '';
    const field = fieldOf(schema, key);
    if (field === undefined) {
      others.set(key, child);
      continue;
    }
    const before = assigned.get(field);
    const isExact = key === field.name;
    if (before !== undefined && before.key !== key) {
      marks.push(markOn(child, 'ambiguous-key', { field: field.name, found: key }));
      if (before.isExact || !isExact) continue;
    }
    assigned.set(field, { child, key, isExact });
  }
  if (assigned.size === 0 && others.size > 0 && schema.rest === undefined) {
    const wrapped = coerceWrapped(node, schema, here, context);
    if (wrapped !== null) return wrapped;
  }
  return assemble(node, schema, { assigned, others, marks }, context);
}

/** None of its keys is ours: a wrapper around the value, or the content of its only field. */
function coerceWrapped(node: Node, schema: ObjectSchema, here: Here, context: CoerceContext): Result | null {
  if (!context.coerceTypes) return null;
  let best: Result | null = null;
  for (const child of node.children) {
    if (child.kind !== 'object' && child.kind !== 'array') continue;
    const result = resultOf(child, schema, context);
    if (result !== null && (best === null || result.cost < best.cost)) best = result;
  }
  if (best !== null) return changed(best.value, [markOn(node, 'unwrapped')], [best]);
  const only = onlyField(schema);
  const value = only === undefined ? null : here(only.schema);
  if (
    only === undefined ||
    value === null ||
    value.marks.some(({ kind }) => kind === 'used-source-text' || kind === 'unwrapped')
  )
    return null;
  return changed({ [only.name]: value.value }, [markOn(node, 'wrapped-in-object', { field: only.name })], [value]);
}

interface Members {
  readonly assigned: ReadonlyMap<Field, Assignment>;
  readonly others: ReadonlyMap<string, Node>;
  readonly marks: ReturnType<typeof markOn>[];
}

function assemble(node: Node, schema: ObjectSchema, members: Members, context: CoerceContext): Result | null {
  const { assigned, others, marks } = members;
  const value: Record<string, unknown> = {};
  const parts: Result[] = [];
  for (const [field, { child, key, isExact }] of assigned) {
    const result = resultOf(child, field.schema, context);
    if (result === null) {
      if (!field.required && !field.schema.hasDefault) {
        if (child.kind !== 'missing' && child.kind !== 'null')
          marks.push(markOn(child, 'dropped-field', { field: field.name }));
      } else if (!replaceUnfit(node, child, field, { value, marks })) return null;
      continue;
    }
    if (!isExact) marks.push(markOn(child, 'fuzzy-field-match', { expected: field.name, found: key }));
    setMember(value, field.name, result.value);
    if (result.cost > 0 || result.parts.length > 0) parts.push(result);
  }
  for (const field of schema.fields.values()) {
    if (assigned.has(field) || (!field.required && !field.schema.hasDefault)) continue;
    if (!fillMissing(node, field, value, marks)) return null;
  }
  if (schema.rest !== undefined && !addOthers(schema, others, { value, parts, marks }, context)) return null;
  return changed(value, marks, parts, schema.rest === undefined ? others.size * unknownMember : 0);
}

/** What a member the schema does not have costs: it is left out without a flag, but an arm that has it fits better. */
const unknownMember = 0.04;

/** A value that does not fit gives way to the default or to null, never to an empty list. */
function replaceUnfit(
  node: Node,
  child: Node,
  field: Field,
  into: { value: Record<string, unknown>; marks: Members['marks'] },
): boolean {
  const isThere = child.kind !== 'missing' && child.kind !== 'null';
  if (isThere && fillOf(field.schema)?.kind === 'used-empty-value') return false;
  if (isThere) into.marks.push(markOn(child, 'dropped-field', { field: field.name }));
  return fillMissing(node, field, into.value, into.marks);
}

/** Default, else null if allowed, else an empty list or map. False: nothing will do. */
function fillMissing(node: Node, field: Field, value: Record<string, unknown>, marks: Members['marks']): boolean {
  const { name, schema } = field;
  const fill = fillOf(schema);
  if (fill === undefined) return false;
  setMember(value, name, fill.value);
  // The doubt falls on the object that lacks the field.
  marks.push(markOn(node, fill.kind, { field: name, path: { parent: node.path, key: name } }));
  return true;
}

export function fillOf(
  schema: SchemaNode,
): { value: unknown; kind: 'used-default-value' | 'used-null-value' | 'used-empty-value' } | undefined {
  if (schema.hasDefault) return { value: defaultOf(schema), kind: 'used-default-value' };
  const arms = armsOf(schema);
  if (arms.some((arm) => arm.kind === 'null' || (arm.kind === 'enum' && arm.values.includes(null)))) {
    return { value: null, kind: 'used-null-value' };
  }
  if (arms.some((arm) => arm.kind === 'array' && arm.prefix.length === 0))
    return { value: [], kind: 'used-empty-value' };
  if (arms.some((arm) => arm.kind === 'object' && arm.fields.size === 0))
    return { value: {}, kind: 'used-empty-value' };
  return undefined;
}

/** JSON Schema writes a date as text. */
function defaultOf(schema: SchemaNode): unknown {
  const isDate = schema.kind === 'string' && schema.isDate && typeof schema.default === 'string';
  return isDate ? new Date(schema.default) : structuredClone(schema.default);
}

/** The arms of a union and of the unions in it; else the schema itself. */
export function armsOf(schema: SchemaNode): SchemaNode[] {
  if (schema.kind !== 'union') return [schema];
  const arms = new Set<SchemaNode>([schema]);
  for (const arm of arms) if (arm.kind === 'union') for (const inner of arm.arms) arms.add(inner);
  return [...arms].filter((arm) => arm.kind !== 'union');
}

function addOthers(
  schema: ObjectSchema,
  others: ReadonlyMap<string, Node>,
  into: { value: Record<string, unknown>; parts: Result[]; marks: Members['marks'] },
  context: CoerceContext,
): boolean {
  for (const [key, child] of others) {
    const name = nameFor(schema, key, child, into.marks);
    if (child.kind === 'missing' && schema.rest?.kind === 'any') {
      setMember(into.value, key, null);
      continue;
    }
    const result = schema.rest === undefined || name === undefined ? null : resultOf(child, schema.rest, context);
    if (result === null || name === undefined) {
      if (child.kind !== 'missing') into.marks.push(markOn(child, 'dropped-field', { field: key }));
      continue;
    }
    setMember(into.value, name, result.value);
    if (result.cost > 0 || result.parts.length > 0) into.parts.push(result);
  }
  return true;
}

/** A map may say what its keys can be. */
function nameFor(schema: ObjectSchema, key: string, child: Node, marks: Members['marks']): string | undefined {
  if (schema.names?.kind !== 'enum') return key;
  const match = matchEnum(schema.names, key);
  if (match === undefined) return undefined;
  if (match.by !== 'exact')
    marks.push(markOn(child, 'fuzzy-field-match', { expected: String(match.value), found: key }));
  return String(match.value);
}
