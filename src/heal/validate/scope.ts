// What a keyword needs to judge a value: the schema around the keyword, the value, and the validation it is part of.

import type { HealBudget } from '../budget.ts';
import type { PathKey } from '../report/flag.ts';
import type { LinkedPath } from '../report/linked-path.ts';
import type { JsonSchema } from '../schema/schema.ts';
import type { StructuralIds } from './structural-id.ts';

export interface Scope {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly position: Position;
  /** The members and items that a keyword has judged. Only collected for schemas that use `unevaluated…`. */
  readonly evaluated: Set<PathKey> | undefined;
  readonly validation: ValidationContext;
}

export interface Position {
  readonly path: LinkedPath | undefined;
  /** How many schemas enclose this judgement, for the same value and for those around it. */
  readonly depth: number;
  /** The schemas that led to this one for the same value, so that a schema that refers to itself ends. */
  readonly chain: SchemaChain | undefined;
}

export interface SchemaChain {
  readonly schema: unknown;
  readonly before: SchemaChain | undefined;
}

export interface ValidationContext {
  readonly budget: HealBudget;
  readonly structuralIds: StructuralIds;
  /** Whether the pattern occurs in the text; `undefined` if that could not be checked. */
  matches(pattern: string, text: string, position: Position): boolean | undefined;
  judge(schema: unknown, value: unknown, position: Position): Verdict;
  /** The schema that a reference points to. */
  resolve(reference: string): unknown;
}

/** The result for a value under a schema. It is valid if there is no violation. */
export interface Verdict {
  readonly violation?: LocatedViolation | undefined;
  readonly evaluated?: ReadonlySet<PathKey> | undefined;
}

export interface LocatedViolation {
  readonly path: LinkedPath | undefined;
  /** A phrase to put after the path, such as "must be at least 3". */
  readonly message: string;
  /** The value has another type than the schema wants, so the schema was hardly meant for it. */
  readonly isOfOtherType?: boolean;
}

/** Judges a value by one keyword, or by keywords that depend on each other. */
export type KeywordCheck = (scope: Scope) => LocatedViolation | undefined;

export function violates({ position }: Scope, message: string): LocatedViolation {
  return { path: position.path, message };
}

/** Judges the same value by another schema. What that one has judged counts for this one too. */
export function judgeInPlace(scope: Scope, schema: unknown): LocatedViolation | undefined {
  const { validation, value, position, evaluated } = scope;
  const { path, depth } = position;
  const chain = { schema: scope.schema, before: position.chain };
  const verdict = validation.judge(schema, value, { path, depth: depth + 1, chain });
  if (verdict.violation === undefined && evaluated !== undefined && verdict.evaluated !== undefined) {
    validation.budget.spend(verdict.evaluated.size);
    for (const key of verdict.evaluated) evaluated.add(key);
  }
  return verdict.violation;
}

/** Judges a member or an item of the value. */
export function judgeChild(scope: Scope, schema: unknown, key: PathKey, child: unknown): LocatedViolation | undefined {
  const { validation, position, evaluated } = scope;
  const { path: parent, depth } = position;
  evaluated?.add(key);
  return validation.judge(schema, child, { path: { parent, key }, depth: depth + 1, chain: undefined }).violation;
}
