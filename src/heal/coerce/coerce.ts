// Measures a finished node against its candidate schemas. Children have been measured before, so each result is
// made from results: no recursion, each node once.

import type { CandidateSet } from './candidate.ts';
import { coerceArray } from './coerce-list.ts';
import { coerceObject } from './coerce-object.ts';
import { coerceScalar } from './coerce-scalar.ts';
import type { CoerceContext, OwnResult, NodeScores } from './node-scores.ts';
import type { Node } from '../parse/node.ts';
import { exact, type Result } from './result.ts';
import type { SchemaNode, UnionSchema } from '../schema/schema.ts';
import type { HealTarget } from '../schema/heal-target.ts';

/**
 * First what the node is by itself under each schema, then the unions, and only then what it could be wrapped as: a
 * recursive schema may wrap itself, and must not be asked before it has answered.
 */
export function scoreNode(node: Node, set: CandidateSet, context: CoerceContext): NodeScores {
  const { schemas } = set;
  context.budget.spend(stepsOf(node, set));
  const results = Array<Result | null>(schemas.length).fill(null);
  if (node.kind === 'missing') return { set, results };
  const ownResult = (schema: SchemaNode): Result | null => results[set.indexOf(schema)] ?? null;
  let wrappable = false;
  for (let index = 0; index < schemas.length; index++) {
    const schema = schemas[index] as SchemaNode;
    if (schema.kind === 'union') continue;
    results[index] = coerce(node, schema, noOwnResult, context);
    wrappable ||= results[index] === null && (schema.kind === 'array' || schema.kind === 'object');
  }
  scoreUnions(set, results, ownResult);
  if (!wrappable || !context.coerceTypes) return { set, results };
  context.budget.spend(schemas.length);
  for (let index = 0; index < schemas.length; index++) {
    const schema = schemas[index] as SchemaNode;
    if (results[index] === null && schema.kind !== 'union') results[index] = coerce(node, schema, ownResult, context);
  }
  scoreUnions(set, results, ownResult);
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
export function beginScoring(node: Node, parent: Node | undefined, target: HealTarget): void {
  node.listenerData = {
    set: parent === undefined ? target.candidates : childSet(parent),
    results: [],
  } satisfies NodeScores;
}

export function finishScoring(node: Node, context: CoerceContext): void {
  const { set } = node.listenerData as NodeScores;
  node.listenerData = scoreNode(node, set, context);
}

function childSet(parent: Node): CandidateSet {
  const { set } = parent.listenerData as NodeScores;
  return parent.kind === 'array' ? set.item() : set.member(parent.keys.at(-1) ?? '');
}

function scoreUnions({ schemas }: CandidateSet, results: (Result | null)[], ownResult: OwnResult): void {
  for (let index = 0; index < schemas.length; index++) {
    const schema = schemas[index] as SchemaNode;
    if (schema.kind === 'union') results[index] = cheapest(schema, ownResult);
  }
}

function noOwnResult(): null {
  return null;
}

function coerce(node: Node, schema: SchemaNode, ownResult: OwnResult, context: CoerceContext): Result | null {
  switch (schema.kind) {
    case 'any':
      return exact(node.value);
    case 'never':
      return null;
    case 'object':
      return coerceObject(node, schema, ownResult, context);
    case 'array':
      return coerceArray(node, schema, ownResult, context);
    default:
      return coerceScalar(node, schema, context);
  }
}

/** Ties go to the first declared. */
function cheapest(schema: UnionSchema, ownResult: OwnResult): Result | null {
  let best: Result | null = null;
  for (const branch of schema.branches) {
    const result = ownResult(branch);
    if (result !== null && (best === null || result.cost < best.cost)) best = result;
  }
  return best;
}
