// Scores a completed node against its candidate schemas. Children are scored before their parents, so each result is
// built from existing results: no recursion, and each node is scored once.

import type { CandidateSet } from './candidate.ts';
import { coerceArray } from './coerce-array.ts';
import { coerceObject } from './coerce-object.ts';
import { coerceScalar } from './coerce-scalar.ts';
import type { CoerceContext, OwnResult, NodeScores } from './node-scores.ts';
import type { Node } from '../parse/node.ts';
import { exact, type Result } from './result.ts';
import type { SchemaNode, UnionSchema } from '../schema/schema.ts';
import type { HealTarget } from '../schema/heal-target.ts';

/**
 * Scores the node itself first, then unions, and then the schemas that could wrap it. The order matters because a
 * recursive schema may wrap itself.
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

/** Roughly how many characters of a string are examined in the time of one step. */
const charactersPerStep = 32;

/** A scalar gets one result for each schema, which also takes memory. */
const stepsPerResult = 3;

/**
 * An array costs one step per schema and item, and more where it is kept as an array. An object costs steps for each
 * member and each field. A scalar costs steps for its text.
 */
function stepsOf({ kind, children, value }: Node, { schemas, arrays, objects, fields }: CandidateSet): number {
  switch (kind) {
    case 'array':
      return schemas.length + (schemas.length + arrays) * children.length;
    case 'object':
      return schemas.length + 2 * (objects * children.length + fields);
    case 'string':
      return Math.ceil(schemas.length * (stepsPerResult + (value as string).length / charactersPerStep));
    default:
      return schemas.length * stepsPerResult;
  }
}

/** Called when a node begins. Its candidates follow from its parent. */
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

/** Ties go to the branch declared first. */
function cheapest(schema: UnionSchema, ownResult: OwnResult): Result | null {
  let best: Result | null = null;
  for (const branch of schema.branches) {
    const result = ownResult(branch);
    if (result !== null && (best === null || result.cost < best.cost)) best = result;
  }
  return best;
}
