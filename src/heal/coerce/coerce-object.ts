// Scores a node against an object schema. Assigns members to fields, fills in missing fields and leaves out unknown
// members. The object may also be inside a string, an array or a wrapper object, or the node may be the value of its
// only field.

import type { HealBudget } from '../budget.ts';
import { fieldAt, onlyField } from './candidate.ts';
import { coerceElement } from './coerce-scalar.ts';
import { hasOnlyTypeNames } from './echo.ts';
import { matchEnum } from './enumeration.ts';
import { fillOf } from './fill.ts';
import { flagCosts } from '../report/flag.ts';
import { resultOf, type CoerceContext, type OwnResult } from './node-scores.ts';
import { setMember, type Node } from '../parse/node.ts';
import { changed, markAt, markOn, type Result } from './result.ts';
import { branchesOf, type SchemaField, type ObjectSchema } from '../schema/schema.ts';
import type { Mark } from '../parse/mark.ts';

export function coerceObject(
  node: Node,
  schema: ObjectSchema,
  ownResult: OwnResult,
  context: CoerceContext,
): Result | null {
  if (node.kind === 'object') {
    // Without any member, an object with words in it is not an empty one.
    const isUnreadable = node.children.length === 0 && node.hasLostText;
    if (isUnreadable || hasOnlyTypeNames(node, (index) => isChoice(fieldAt(schema, node, index)))) return null;
    return coerceMembers(node, schema, ownResult, context);
  }
  if (!context.coerceTypes || node.kind === 'null') return null;
  if (node.kind === 'array') return coerceElement(node, schema);
  if (node.kind === 'string') {
    const text = node.value as string;
    const inside = /^\s*[{[`]/.test(text) ? context.parseInside(text, schema) : null;
    return inside === null ? null : changed(inside.value, [markOn(node, 'parsed-string')], [inside]);
  }
  const only = onlyField(schema);
  const value = only === undefined ? null : ownResult(only.schema);
  if (only === undefined || value === null) return null;
  return changed({ [only.name]: value.value }, [markOn(node, 'wrapped-in-object', { field: only.name })], [value]);
}

/** Whether the name of a type may be one of several values of a field. */
function isChoice(field: SchemaField | undefined): boolean {
  return field !== undefined && branchesOf(field.schema).some(({ kind }) => kind === 'enum');
}

/**
 * The child assigned to a field. A later child with exactly the same name replaces an earlier one; of several similar
 * names the first wins.
 */
interface Assignment {
  readonly child: Node;
  readonly key: string;
  readonly isExact: boolean;
}

function coerceMembers(node: Node, schema: ObjectSchema, ownResult: OwnResult, context: CoerceContext): Result | null {
  const marks: Mark[] = [];
  const assigned = new Map<SchemaField, Assignment>();
  const others = new Map<string, Node>();
  for (const [index, child] of node.children.entries()) {
    const key = node.keys[index] ?? '';
    const field = fieldAt(schema, node, index);
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
    const wrapped = coerceWrapped(node, schema, ownResult, context);
    if (wrapped !== null) return wrapped;
  }
  return assemble(node, schema, { assigned, others, marks, budget: context.budget });
}

/** No key is a known field: the node is a wrapper around the value, or the value of the only field. */
function coerceWrapped(node: Node, schema: ObjectSchema, ownResult: OwnResult, context: CoerceContext): Result | null {
  if (!context.coerceTypes) return null;
  const inside = unwrap(node, schema);
  if (inside !== null) return inside;
  const only = onlyField(schema);
  const value = only === undefined ? null : ownResult(only.schema);
  if (only === undefined || value === null || value.marks.some(({ kind }) => isNoWrappedValue(kind))) return null;
  return changed({ [only.name]: value.value }, [markOn(node, 'wrapped-in-object', { field: only.name })], [value]);
}

/** Takes the member that matches best. The others are lost, and more doubtful if they match too. */
function unwrap(node: Node, schema: ObjectSchema): Result | null {
  const members = node.children.flatMap((child) => {
    const result = isContainer(child) ? resultOf(child, schema) : null;
    return result === null ? [] : [{ child, result }];
  });
  const [best] = members.toSorted((left, right) => left.result.cost - right.result.cost);
  if (best === undefined) return null;
  const marks = [markOn(node, members.length === 1 ? 'unwrapped' : 'chose-element')];
  for (const [index, child] of node.children.entries()) {
    if (child !== best.child) marks.push(markOn(child, 'dropped-field', { field: node.keys[index] ?? '' }));
  }
  return changed(best.result.value, marks, [best.result]);
}

function isContainer({ kind }: Node): boolean {
  return kind === 'object' || kind === 'array';
}

/** A string taken out of an object, or its source text, is not the value of an only field. */
function isNoWrappedValue(kind: Mark['kind']): boolean {
  return kind === 'used-source-text' || kind === 'unwrapped';
}

interface AssignedMembers {
  readonly assigned: ReadonlyMap<SchemaField, Assignment>;
  readonly others: ReadonlyMap<string, Node>;
  readonly marks: Mark[];
  readonly budget: HealBudget;
}

function assemble(node: Node, schema: ObjectSchema, members: AssignedMembers): Result | null {
  const { assigned, others, marks, budget } = members;
  const value: Record<string, unknown> = {};
  const parts: Result[] = [];
  let surplus = 0;
  for (const [field, { child, key, isExact }] of assigned) {
    const result = resultOf(child, field.schema);
    if (result === null) {
      if (!field.required && !field.schema.hasDefault) {
        if (!isAbsent(child)) marks.push(markOn(child, 'dropped-value', { field: field.name }));
      } else if (!isAbsent(child) || !fillMissing(node, field, { value, marks, budget })) return null;
      continue;
    }
    if (!isExact) marks.push(markOn(child, 'fuzzy-field-match', { expected: field.name, found: key }));
    setMember(value, field.name, result.value);
    if (result.cost > 0 || result.parts.length > 0) parts.push(result);
  }
  for (const field of schema.fields.values()) {
    if (assigned.has(field) || (!field.required && !field.schema.hasDefault)) continue;
    if (!fillMissing(node, field, { value, marks, budget })) return null;
    if (!field.required) surplus -= optionalDefaultRelief;
  }
  if (schema.rest !== undefined) addOthers(schema, others, { value, parts, marks, budget });
  // An object that loses all its members is not an empty object, unless its only member was truncated.
  const isEmpty = !node.isCut && Object.keys(value).length === 0;
  if (isEmpty && marks.some(({ kind }) => kind === 'dropped-value')) return null;
  if (schema.rest !== undefined) return changed(value, marks, parts, surplus);
  for (const [field, child] of others) marks.push(markOn(child, 'dropped-field', { field }));
  return changed(value, marks, parts, surplus + others.size * unknownMemberCost);
}

/**
 * How much less an optional default costs than another one. A branch that only adds defaults must be better than one that
 * leaves out a member of the text.
 */
const optionalDefaultRelief = flagCosts['used-default-value'] - 0.001;

/**
 * Cost of a member that the schema does not have. Leaving it out casts no doubt, but a branch that has it is better, even
 * if the member has to be converted.
 */
const unknownMemberCost = 0.1;

/** An object under construction. */
interface ObjectDraft {
  readonly value: Record<string, unknown>;
  readonly marks: Mark[];
  readonly budget: HealBudget;
}

/** A value that does not match is not a missing one: the default and null replace only what is absent. */
function isAbsent({ kind }: Node): boolean {
  return kind === 'missing' || kind === 'null';
}

/** Fills in the default, or null if allowed. Returns false if neither is possible. */
function fillMissing(node: Node, field: SchemaField, { value, marks, budget }: ObjectDraft): boolean {
  const { name, schema } = field;
  const fill = fillOf(schema, budget);
  if (fill === undefined) return false;
  setMember(value, name, fill.value);
  // The mark covers the object that lacks the field.
  marks.push(markAt(node, { parent: node.path, key: name }, fill.kind, { field: name }));
  return true;
}

function addOthers(
  schema: ObjectSchema,
  others: ReadonlyMap<string, Node>,
  into: ObjectDraft & { readonly parts: Result[] },
): void {
  for (const [key, child] of others) {
    const name = nameFor(schema, key, child, into);
    if (child.kind === 'missing' && schema.rest?.kind === 'any') {
      setMember(into.value, key, null);
      continue;
    }
    const result = schema.rest === undefined || name === undefined ? null : resultOf(child, schema.rest);
    if (result === null || name === undefined) {
      if (child.kind !== 'missing') into.marks.push(markOn(child, 'dropped-value', { field: key }));
      continue;
    }
    setMember(into.value, name, result.value);
    if (result.cost > 0 || result.parts.length > 0) into.parts.push(result);
  }
}

/** A map schema may restrict its keys to an enum. */
function nameFor(schema: ObjectSchema, key: string, child: Node, { marks, budget }: ObjectDraft): string | undefined {
  if (schema.names?.kind !== 'enum') return key;
  const match = matchEnum(schema.names, key, budget);
  if (match === undefined) return undefined;
  if (match.by !== 'exact')
    marks.push(markOn(child, 'fuzzy-field-match', { expected: String(match.value), found: key }));
  return String(match.value);
}
