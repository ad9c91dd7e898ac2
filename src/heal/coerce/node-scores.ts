// What a node came to under each schema it could be, and what it takes to find that out.

import type { HealBudget } from '../budget.ts';
import type { CandidateSet } from './candidate.ts';
import type { Node } from '../parse/node.ts';
import type { Result } from './result.ts';
import type { SchemaNode } from '../schema/schema.ts';

/** A node with what it is under each candidate of its set; `null` where it cannot be that. */
export interface NodeScores {
  readonly set: CandidateSet;
  readonly results: readonly (Result | null)[];
}

export interface CoerceContext {
  readonly coerceTypes: boolean;
  readonly budget: HealBudget;
  /** The text a node was read from. */
  sourceOf(node: Node): string;
  /** A string that holds JSON itself, read as this schema. */
  parseInside(text: string, schema: SchemaNode): Result | null;
}

/** What the node itself came to under another of its candidates, as far as that is known. */
export type OwnResult = (schema: SchemaNode) => Result | null;

/** What a node that was measured came to under a schema; `null` where it cannot be that, or was not measured. */
export function resultOf(node: Node, schema: SchemaNode): Result | null {
  return node.listenerData === undefined ? null : resultFrom(node.listenerData as NodeScores, schema);
}

export function resultFrom({ set, results }: NodeScores, schema: SchemaNode): Result | null {
  return results[set.indexOf(schema)] ?? null;
}
