// Measures a finished node against its candidate schemas. Children have been measured before, so each result is
// made from results: no recursion, each node once.

import type { CandidateSet } from './candidate.ts';
import { coerceArray } from './coerce-list.ts';
import { coerceObject } from './coerce-object.ts';
import { coerceScalar } from './coerce-scalar.ts';
import type { CoerceContext, Here, NodeScores } from './node-scores.ts';
import type { Node } from '../parse/node.ts';
import { exact, type Result } from './result.ts';
import type { SchemaNode, UnionSchema } from '../schema/schema.ts';
import type { Target } from '../schema/target.ts';

/**
 * First what the node is by itself under each schema, then the unions, and only then what it could be wrapped as: a
 * recursive schema may wrap itself, and must not be asked before it has answered.
 */
export function measure(node: Node, set: CandidateSet, context: CoerceContext): NodeScores {
  const { schemas } = set;
  context.budget.spend(stepsOf(node, set));
  const results = Array<Result | null>(schemas.length).fill(null);
  if (node.kind === 'missing') return { set, results };
  const here = (schema: SchemaNode): Result | null => results[set.placeOf(schema)] ?? null;
  let wrappable = false;
  for (let index = 0; index < schemas.length; index++) {
    const schema = schemas[index] as SchemaNode;
    if (schema.kind === 'union') continue;
    results[index] = coerce(node, schema, nowhere, context);
    wrappable ||= results[index] === null && (schema.kind === 'array' || schema.kind === 'object');
  }
  unite(set, results, here);
  if (!wrappable || !context.coerceTypes) return { set, results };
  context.budget.spend(schemas.length);
  for (let index = 0; index < schemas.length; index++) {
    const schema = schemas[index] as SchemaNode;
    if (results[index] === null && schema.kind !== 'union') results[index] = coerce(node, schema, here, context);
  }
  unite(set, results, here);
  return { set, results };
}

/** The characters of a string that are looked at in the time of a step, roughly. */
const charactersPerStep = 32;

/** A scalar has one result for each schema that it is compared with, which takes memory as well. */
const stepsPerResult = 3;

/** Each schema looks at every item, and a list keeps what it is; an object looks at every member and every field; a scalar at its text. */
function stepsOf({ kind, children, value }: Node, { schemas, lists, objects, fields }: CandidateSet): number {
  switch (kind) {
    case 'array':
      return schemas.length + (schemas.length + lists) * children.length;
    case 'object':
      return schemas.length + 2 * (objects * children.length + fields);
    case 'string':
      return Math.ceil(schemas.length * (stepsPerResult + (value as string).length / charactersPerStep));
    default:
      return schemas.length * stepsPerResult;
  }
}

/** A node begins: what it may be follows from its parent. */
export function openMeasured(node: Node, parent: Node | undefined, target: Target): void {
  node.slot = { set: parent === undefined ? target.set : childSet(parent), results: [] } satisfies NodeScores;
}

export function completeMeasured(node: Node, context: CoerceContext): void {
  const { set } = node.slot as NodeScores;
  node.slot = measure(node, set, context);
}

function childSet(parent: Node): CandidateSet {
  const { set } = parent.slot as NodeScores;
  return parent.kind === 'array' ? set.item() : set.member(parent.keys.at(-1) ?? '');
}

function unite({ schemas }: CandidateSet, results: (Result | null)[], here: Here): void {
  for (let index = 0; index < schemas.length; index++) {
    const schema = schemas[index] as SchemaNode;
    if (schema.kind === 'union') results[index] = cheapest(schema, here);
  }
}

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
