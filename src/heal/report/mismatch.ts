// Explains why a value does not match its schema: the first part that does not match, and what was expected there. The
// message is meant for people and for models that are asked to correct their output.

import { fieldAt } from '../coerce/candidate.ts';
import { fillKindOf } from '../coerce/fill.ts';
import { resultOf } from '../coerce/node-scores.ts';
import { formatPath } from './error.ts';
import { toKeys } from './linked-path.ts';
import type { PathKey } from './flag.ts';
import type { Node } from '../parse/node.ts';
import { branchesOf, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';

export interface Mismatch {
  readonly kind: 'missing-field' | 'no-value';
  readonly path: readonly PathKey[];
  readonly message: string;
}

/** Walks down from a node that does not match to the part that causes it. */
export function findMismatch(root: Node, schema: SchemaNode): Mismatch {
  const path = toKeys(root.path);
  let [node, wanted] = [root, schema];
  for (;;) {
    const part = firstBadPart(node, wanted);
    if (part === undefined) return describeMismatch(node, wanted, path);
    path.push(part.key);
    if (part.child === undefined) {
      return { kind: 'missing-field', path, message: `${formatPath(path)}: required, but missing from the text` };
    }
    [node, wanted] = [part.child, part.schema];
  }
}

/** Maximum number of keys and union branches that an explanation compares. */
const maxCompared = 100;

/** The object branch that knows most of the node's keys. */
function likeliestBranch(node: Node, schema: SchemaNode): ObjectSchema | undefined {
  let best: ObjectSchema | undefined;
  let most = -1;
  const keys = node.keys.slice(0, maxCompared);
  for (const branch of branchesOf(schema).slice(0, maxCompared)) {
    if (branch.kind !== 'object') continue;
    const known = keys.filter((_, index) => fieldAt(branch, node, index) !== undefined).length;
    if (known > most) [best, most] = [branch, known];
  }
  return best;
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
  const branch = node.kind === 'object' ? likeliestBranch(node, wanted) : undefined;
  return branch && firstBadField(node, branch);
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
  const list = branchesOf(wanted).find((branch) => branch.kind === 'array');
  if (list === undefined) return undefined;
  for (const [key, child] of node.children.entries()) {
    const schema = list.prefix[key] ?? list.items;
    if (resultOf(child, schema) === null) return { key, schema, child };
  }
  return undefined;
}

/** Maximum number of alternatives and enum values in a message. */
const maxListed = 20;

function describeMismatch(node: Node, schema: SchemaNode, path: readonly PathKey[]): Mismatch {
  const branches = branchesOf(schema).slice(0, maxListed);
  const wanted = [...new Set(branches.map(describeSchema))].join(' or ');
  return { kind: 'no-value', path, message: `${formatPath(path)}: must be ${wanted}, not ${describeNode(node)}` };
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
