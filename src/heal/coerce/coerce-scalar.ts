// Scores a node against a scalar schema. The value may be the node itself, the best item of an array, or the only
// member of an object.

import { isIsoDate, parseMoment, toIsoDate } from './date.ts';
import { isListOfChoices, isTypeDeclaration } from './echo.ts';
import { hasEqualValue, matchEnum, mentionedBoolean, type EnumMatch } from './enumeration.ts';
import { resultOf, type CoerceContext } from './node-scores.ts';
import type { FlagKind } from '../report/flag.ts';
import type { Node } from '../parse/node.ts';
import { parseBigInt, parseWrittenNumber } from './number.ts';
import { changed, exact, markOn, type Result } from './result.ts';
import {
  isPlainString,
  type EnumSchema,
  type NumberSchema,
  type SchemaNode,
  type StringSchema,
} from '../schema/schema.ts';

export function coerceScalar(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  const direct = coerceDirect(node, schema, context);
  if (direct !== null || !context.coerceTypes || schema.kind === 'string') return direct;
  if (node.kind === 'array') return coerceElement(node, schema);
  return node.kind === 'object' ? coerceOnlyMember(node, schema) : null;
}

function coerceDirect(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  switch (schema.kind) {
    case 'string':
      return coerceString(node, schema, context);
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

function coerceString(node: Node, schema: StringSchema, context: CoerceContext): Result | null {
  if (node.kind === 'string') {
    const text = node.value as string;
    if (!isPlainString(schema)) return coerceDate(node, text, schema, context);
    return isListOfChoices(text) ? null : exact(text);
  }
  if (node.kind === 'null' || !context.coerceTypes || schema.isDate) return null;
  if (node.kind === 'object' || node.kind === 'array') return coerceBracketed(node, schema, context);
  return changed(node.raw === '' ? String(node.value) : node.raw, [
    markOn(node, 'type-coercion', { from: node.kind, to: 'string' }),
  ]);
}

/** A string is wanted, and the text has brackets: takes the only string in them, or source code as it is. */
function coerceBracketed(node: Node, schema: StringSchema, context: CoerceContext): Result | null {
  const source = context.sourceOf(node);
  if (node.isQuoted) return exact(source);
  if (isSourceCode(node, source)) {
    return changed(source, [markOn(node, 'used-source-text', { from: node.kind, to: 'string' })]);
  }
  const [child] = node.children;
  const isWrapper = node.children.length === 1 && child?.kind === 'string' && !isTypeDeclaration(node);
  const result = isWrapper && !node.isCut ? coerceString(child, schema, context) : null;
  return result === null ? null : changed(result.value, [markOn(node, 'unwrapped')], [result]);
}

/** `{title: string, onClick: () => void}` is an unquoted text that happens to have brackets. */
function isSourceCode({ children }: Node, source: string): boolean {
  return children.some(({ kind, bare }) => kind === 'string' && bare) && !source.includes('"');
}

/** A text that cannot be converted is kept, so that the check of the format explains the error. */
function coerceDate(
  node: Node,
  text: string,
  { isDate, dateFormat }: StringSchema,
  context: CoerceContext,
): Result | null {
  context.budget.spend(stepsPerReading);
  if (isDate) {
    const moment = parseMoment(text);
    return moment === undefined
      ? null
      : changed(moment, [markOn(node, 'type-coercion', { from: 'string', to: 'date' })]);
  }
  if (dateFormat === undefined || !context.coerceTypes || isIsoDate(text, dateFormat)) return exact(text);
  const date = toIsoDate(text, dateFormat);
  if (date === undefined) return exact(text);
  return changed(date, [markOn(node, 'type-coercion', { from: 'string', to: dateFormat })]);
}

/** Reading a number from a string tries several regular expressions. */
const stepsPerReading = 8;

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
  context.budget.spend(stepsPerReading);
  const read = parseWrittenNumber(node.value as string, schema.integer);
  if (read === undefined) return null;
  const kind = read.rounded ? 'rounded-number' : 'type-coercion';
  return changed(read.value, [markOn(node, kind, { from: 'string', to })]);
}

function coerceBigInt(node: Node): Result | null {
  const text = node.kind === 'number' ? node.raw : node.kind === 'string' ? (node.value as string) : undefined;
  const value = text === undefined ? undefined : parseBigInt(text);
  if (value === undefined) return null;
  return node.kind === 'number'
    ? exact(value)
    : changed(value, [markOn(node, 'type-coercion', { from: 'string', to: 'bigint' })]);
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
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
  const truth = booleanWords.get(text.toLowerCase()) ?? mentionedBoolean(text, context.budget);
  if (truth === undefined) return null;
  const kind = booleanWords.has(text.toLowerCase()) ? 'type-coercion' : 'enum-mention';
  return changed(truth, [markOn(node, kind, { from: node.kind, to: 'boolean' })]);
}

const nullWords = new Set(['null', 'none', 'n/a', 'na', 'nil', '']);

/** Accepts words for null. A union that also allows strings prefers the string, because that costs nothing. */
function coerceNull(node: Node, context: CoerceContext): Result | null {
  if (node.kind === 'null') return exact(null);
  if (node.kind !== 'string' || !context.coerceTypes) return null;
  if (!nullWords.has((node.value as string).trim().toLowerCase())) return null;
  return changed(null, [markOn(node, 'type-coercion', { from: 'string', to: 'null' })]);
}

/** A mention in another spelling is less certain than either alone. */
const matchFlags: Readonly<Record<EnumMatch['by'], readonly FlagKind[]>> = {
  exact: ['enum-match'],
  similar: ['enum-match'],
  mention: ['enum-mention'],
  'similar-mention': ['enum-match', 'enum-mention'],
};

function coerceEnum(node: Node, schema: EnumSchema, context: CoerceContext): Result | null {
  if (node.kind === 'object' || node.kind === 'array')
    return hasEqualValue(schema, node.value, context.budget) ? exact(node.value) : null;
  if (schema.values.has(node.value)) return exact(node.value);
  if (!context.coerceTypes || node.kind === 'null') return null;
  const text = node.raw === '' ? String(node.value) : node.raw;
  const match = matchEnum(schema, text, context.budget);
  if (match === undefined) return null;
  const detail = { expected: String(match.value), found: text.slice(0, 60) };
  const marks = matchFlags[match.by].map((kind) => markOn(node, kind, detail));
  return changed(match.value, marks);
}

/** The text has an array where a single value is wanted: takes its only item, or the item that matches best. */
export function coerceElement(node: Node, schema: SchemaNode): Result | null {
  let best: Result | null = null;
  for (const child of node.children) {
    const result = resultOf(child, schema);
    if (result !== null && (best === null || result.cost < best.cost)) best = result;
  }
  if (best === null) return null;
  const kind = node.children.length === 1 ? 'unwrapped' : 'chose-element';
  return changed(best.value, [markOn(node, kind)], [best]);
}

/** Handles `{"status": 1}` where a scalar is wanted. */
function coerceOnlyMember(node: Node, schema: SchemaNode): Result | null {
  const [child] = node.children;
  // The first member of a truncated object may not have been its only one.
  if (node.children.length !== 1 || child === undefined || node.isCut) return null;
  if (child.kind === 'object' || child.kind === 'array') return null;
  const result = resultOf(child, schema);
  return result === null ? null : changed(result.value, [markOn(node, 'unwrapped')], [result]);
}
