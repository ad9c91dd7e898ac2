// The results of a node under each of its candidate schemas, and the context needed to compute them.

import type { HealBudget } from '../budget.ts';
import type { CandidateSet } from './candidate.ts';
import type { Node } from '../parse/node.ts';
import type { Result } from './result.ts';
import type { SchemaNode } from '../schema/schema.ts';

/** One result for each schema in `set`; `null` if the node cannot match it. */
export interface NodeScores {
  readonly set: CandidateSet;
  readonly results: readonly (Result | null)[];
}

export interface CoerceContext {
  readonly coerceTypes: boolean;
  readonly budget: HealBudget;
  /** The text that a node was read from. */
  sourceOf(node: Node): string;
  /** Parses a string that contains JSON and scores it against the schema. */
  parseInside(text: string, schema: SchemaNode): Result | null;
}

/** The result of the same node under another of its candidates, if it is known yet. */
export type OwnResult = (schema: SchemaNode) => Result | null;

/** The result of a node under a schema; `null` if it does not match or was not scored. */
export function resultOf(node: Node, schema: SchemaNode): Result | null {
  return node.listenerData === undefined ? null : resultFrom(node.listenerData as NodeScores, schema);
}

export function resultFrom({ set, results }: NodeScores, schema: SchemaNode): Result | null {
  return results[set.indexOf(schema)] ?? null;
}
