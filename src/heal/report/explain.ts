// Why a value in the text does not fit: the first place where it goes wrong, and what is wrong there, in words that a
// person can act on and that a model can be sent.

import { fieldAt } from '../coerce/candidate.ts';
import { fillKindOf } from '../coerce/fill.ts';
import { resultOf } from '../coerce/node-scores.ts';
import { formatPath } from './error.ts';
import type { PathKey } from './flag.ts';
import type { Node } from '../parse/node.ts';
import { armsOf, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';

export interface Misfit {
  readonly kind: 'missing-field' | 'no-value';
  readonly path: readonly PathKey[];
  readonly message: string;
}

/** Walks down from a node that does not fit to the part that keeps it from fitting. */
export function findMisfit(root: Node, schema: SchemaNode): Misfit {
  const path: PathKey[] = [];
  let [node, wanted] = [root, schema];
  for (;;) {
    const arm = node.kind === 'object' ? likeliestArm(node, wanted) : undefined;
    const part = arm && firstBadField(node, arm);
    if (part === undefined) return describeMisfit(node, wanted, path);
    path.push(part.name);
    if (part.child === undefined) {
      return { kind: 'missing-field', path, message: `${formatPath(path)}: required, and not in the text` };
    }
    [node, wanted] = [part.child, part.schema];
  }
}

/** An explanation looks at so many keys and alternatives. */
const mostCompared = 100;

/** Of the objects it may be, the one with the most of its keys. */
function likeliestArm(node: Node, schema: SchemaNode): ObjectSchema | undefined {
  let best: ObjectSchema | undefined;
  let most = -1;
  const keys = node.keys.slice(0, mostCompared);
  for (const arm of armsOf(schema).slice(0, mostCompared)) {
    if (arm.kind !== 'object') continue;
    const known = keys.filter((_, index) => fieldAt(arm, node, index) !== undefined).length;
    if (known > most) [best, most] = [arm, known];
  }
  return best;
}

interface BadField {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly child: Node | undefined;
}

function firstBadField(node: Node, arm: ObjectSchema): BadField | undefined {
  const children = new Map(node.children.map((child, index) => [fieldAt(arm, node, index)?.name, child]));
  for (const { name, schema, required } of arm.fields.values()) {
    if (!required || fillKindOf(schema) !== undefined) continue;
    const child = children.get(name);
    if (child === undefined || child.kind === 'missing') return { name, schema, child: undefined };
    if (resultOf(child, schema) === null) return { name, schema, child };
  }
  return undefined;
}

/** Alternatives, and values of an enumeration, in a message. */
const mostNamed = 20;

function describeMisfit(node: Node, schema: SchemaNode, path: readonly PathKey[]): Misfit {
  const arms = armsOf(schema).slice(0, mostNamed);
  const wanted = [...new Set(arms.map(describeSchema))].join(' or ');
  return { kind: 'no-value', path, message: `${formatPath(path)}: must be ${wanted}, not ${describeNode(node)}` };
}

const names: Readonly<Record<SchemaNode['kind'], string>> = {
  any: 'a value',
  never: 'absent',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  enum: 'one of a few values',
  array: 'a list',
  object: 'an object',
  union: 'one of several',
};

function describeSchema(schema: SchemaNode): string {
  if (schema.kind === 'number' && schema.integer) return 'a whole number';
  if (schema.kind === 'string' && schema.isDate) return 'a date';
  if (schema.kind !== 'enum') return names[schema.kind];
  const shown = [...schema.values].slice(0, mostNamed).map((value) => shorten(JSON.stringify(value) ?? ''));
  return `${shown.join(' or ')}${schema.values.size > shown.length ? ' or …' : ''}`;
}

function describeNode({ kind, value }: Node): string {
  if (kind === 'object') return 'an object';
  if (kind === 'array') return 'a list';
  return shorten(JSON.stringify(value) ?? 'nothing');
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
