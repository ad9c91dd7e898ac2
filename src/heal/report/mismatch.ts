// Explains why a value does not match its schema: the first part that does not match, and what was expected there. The
// message is meant for people and for models that are asked to correct their output.

import { fieldAt } from '../coerce/candidate.ts';
import { hasOnlyTypeNames, isListOfChoices, isTypeDeclaration } from '../coerce/echo.ts';
import { fillKindOf } from '../coerce/fill.ts';
import { resultOf } from '../coerce/node-scores.ts';
import { formatPath } from './error.ts';
import { toKeys } from './linked-path.ts';
import type { PathKey } from './flag.ts';
import type { Node } from '../parse/node.ts';
import { branchesOf, type ArraySchema, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';

export interface Mismatch {
  readonly kind: 'missing-field' | 'no-value';
  readonly path: readonly PathKey[];
  readonly message: string;
}

/** Walks down from a node that does not match to the part that causes it. */
export function findMismatch(root: Node, schema: SchemaNode): Mismatch {
  const path = toKeys(root.path);
  let [node, wanted, expected] = [root, schema, branchesOf(schema)];
  for (;;) {
    const part = firstBadPart(node, wanted);
    if (part === undefined) return describeMismatch(node, expected, path);
    path.push(part.key);
    if (part.child === undefined) {
      return { kind: 'missing-field', path, message: `${formatPath(path)}: required, but missing from the text` };
    }
    expected = [part.schema, ...otherConstants(wanted, part)].flatMap(branchesOf);
    [node, wanted] = [part.child, part.schema];
  }
}

/** What the other branches of a union expect in a field that tells them apart. */
function otherConstants(union: SchemaNode, { key, schema }: BadPart): SchemaNode[] {
  if (schema.kind !== 'enum' || typeof key === 'number') return [];
  return branchesOf(union).flatMap((branch) => {
    const other = branch.kind === 'object' ? branch.fields.get(key)?.schema : undefined;
    return other?.kind === 'enum' && other !== schema ? [other] : [];
  });
}

/** Maximum number of keys and union branches that an explanation compares. */
const maxCompared = 100;

/** The object branch that fits best. */
function likeliestBranch(node: Node, schema: SchemaNode): ObjectSchema | undefined {
  let best: ObjectSchema | undefined;
  let most = -1;
  for (const branch of branchesOf(schema).slice(0, maxCompared)) {
    if (branch.kind !== 'object') continue;
    const fit = fitOf(node, branch);
    if (fit > most) [best, most] = [branch, fit];
  }
  return best;
}

/** A known key counts, a value that matches counts more, and a constant that matches, such as a name, decides. */
function fitOf(node: Node, branch: ObjectSchema): number {
  let fit = 0;
  for (const [index, child] of node.children.slice(0, maxCompared).entries()) {
    const field = fieldAt(branch, node, index);
    if (field === undefined) continue;
    const isConstant = field.schema.kind === 'enum' && field.schema.values.size === 1;
    fit += resultOf(child, field.schema) === null ? 1 : isConstant ? 3 * maxCompared : 2;
  }
  return fit;
}

/** A field or an item that does not match. */
interface BadPart {
  readonly key: PathKey;
  readonly schema: SchemaNode;
  /** Undefined if it is missing. */
  readonly child: Node | undefined;
}

function firstBadPart(node: Node, wanted: SchemaNode): BadPart | undefined {
  if (node.kind === 'array') return firstBadItem(node, wanted);
  if (node.kind !== 'object' || isEcho(node, branchesOf(wanted))) return undefined;
  const branch = likeliestBranch(node, wanted) ?? onlyItemBranch(node, wanted);
  return branch && firstBadField(node, branch);
}

/** A single object where a list of such objects is wanted. */
function onlyItemBranch(node: Node, wanted: SchemaNode): ObjectSchema | undefined {
  const list = listIn(wanted);
  const branch = list && likeliestBranch(node, list.items);
  return branch !== undefined && fitOf(node, branch) > 0 ? branch : undefined;
}

function listIn(wanted: SchemaNode): ArraySchema | undefined {
  return branchesOf(wanted).find((branch) => branch.kind === 'array');
}

/** The first field that makes the object fail, or the first one that is lost: an object must not lose all of them. */
function firstBadField(node: Node, branch: ObjectSchema): BadPart | undefined {
  const children = new Map(node.children.map((child, index) => [fieldAt(branch, node, index)?.name, child]));
  let lost: BadPart | undefined;
  for (const { name: key, schema, required } of branch.fields.values()) {
    const child = children.get(key);
    if (child !== undefined && resultOf(child, schema) !== null) continue;
    const given = child?.kind === 'missing' ? undefined : child;
    const isAbsent = given === undefined || given.kind === 'null';
    if (isAbsent && (!required || fillKindOf(schema) !== undefined)) continue;
    if (required || schema.hasDefault) return { key, schema, child: given };
    lost ??= { key, schema, child: given };
  }
  return lost;
}

/** An array that loses all its items does not match. */
function firstBadItem(node: Node, wanted: SchemaNode): BadPart | undefined {
  const list = listIn(wanted);
  if (list === undefined) return undefined;
  for (const [key, child] of node.children.entries()) {
    const schema = list.prefix[key] ?? list.items;
    if (resultOf(child, schema) === null) return { key, schema, child };
  }
  return undefined;
}

/** Maximum number of alternatives and enum values in a message. */
const maxListed = 20;

function describeMismatch(node: Node, expected: readonly SchemaNode[], path: readonly PathKey[]): Mismatch {
  const branches = expected.slice(0, maxListed);
  return { kind: 'no-value', path, message: `${formatPath(path)}: ${describeTrouble(node, branches)}` };
}

function describeTrouble(node: Node, branches: readonly SchemaNode[]): string {
  const wanted = [...new Set(branches.map(describeSchema))].join(' or ');
  if (node.kind === 'string' && isListOfChoices(node.value as string)) {
    return `must be ${wanted}, not several choices: ${describeNode(node)}`;
  }
  if (node.kind !== 'object') return `must be ${wanted}, not ${describeNode(node)}`;
  if (isEcho(node, branches)) return 'repeats the schema instead of giving a value';
  const object = branches.find((branch) => branch.kind === 'object');
  if (object === undefined) return `must be ${wanted}, not an object`;
  return `must be an object with ${listNames([...object.fields.keys()])}, not one with ${listNames(node.keys)}`;
}

/** A schema in place of a value. A member `type` that the schema itself expects proves nothing. */
function isEcho(node: Node, branches: readonly SchemaNode[]): boolean {
  if (hasOnlyTypeNames(node)) return true;
  return isTypeDeclaration(node) && !branches.some((branch) => branch.kind === 'object' && branch.fields.has('type'));
}

/** Maximum number of names in a message. */
const maxNames = 5;

function listNames(keys: readonly string[]): string {
  if (keys.length === 0) return 'no members';
  const shown = keys.slice(0, maxNames).map((key) => shorten(JSON.stringify(key)));
  return `${shown.join(', ')}${keys.length > maxNames ? ', …' : ''}`;
}

const names: Readonly<Record<SchemaNode['kind'], string>> = {
  any: 'a value',
  never: 'absent',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  enum: 'one of several values',
  array: 'an array',
  object: 'an object',
  union: 'one of several types',
};

function describeSchema(schema: SchemaNode): string {
  if (schema.kind === 'number' && schema.integer) return 'a whole number';
  if (schema.kind === 'string' && schema.isDate) return 'a date';
  if (schema.kind !== 'enum') return names[schema.kind];
  const shown = [...schema.values].slice(0, maxListed).map((value) => shorten(JSON.stringify(value) ?? ''));
  return `${shown.join(' or ')}${schema.values.size > shown.length ? ' or …' : ''}`;
}

function describeNode({ kind, value }: Node): string {
  if (kind === 'object') return 'an object';
  if (kind === 'array') return 'an array';
  return shorten(JSON.stringify(value) ?? 'nothing');
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
