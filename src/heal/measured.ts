// What a node came to under each schema it could be, and what it takes to find that out.

import type { CandidateSet } from './candidate.ts';
import type { Node } from './node.ts';
import type { Result } from './result.ts';
import type { SchemaNode } from './schema.ts';

/** A node with what it is under each candidate of its set; `null` where it cannot be that. */
export interface Measured {
  readonly set: CandidateSet;
  readonly results: readonly (Result | null)[];
}

export interface CoerceContext {
  readonly coerceTypes: boolean;
  measured(node: Node): Measured | undefined;
  /** The text a node was read from. */
  sourceOf(node: Node): string;
  /** A string that holds JSON itself, read as this schema. */
  parseInside(text: string, schema: SchemaNode): Result | null;
}

/** What the node itself came to under another of its candidates, as far as that is known. */
export type Here = (schema: SchemaNode) => Result | null;

/** What a child came to. */
export function resultOf(node: Node, schema: SchemaNode, context: CoerceContext): Result | null {
  const measured = context.measured(node);
  return measured?.results[measured.set.placeOf(schema)] ?? null;
}
