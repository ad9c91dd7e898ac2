// Every keyword that is validated, and which of them the compiled schema alone does not guarantee.

import type { HealBudget } from '../budget.ts';
import type { JsonSchema } from '../schema/schema.ts';
import { subschemasOf } from '../schema/subschema.ts';
import { applicatorKeywords } from './applicator-keyword.ts';
import { arrayKeywords, unevaluatedItems } from './array-keyword.ts';
import { objectKeywords, unevaluatedProperties } from './object-keyword.ts';
import { scalarKeywords } from './scalar-keyword.ts';
import type { KeywordCheck } from './scope.ts';

/** In the order in which they are checked: cheap ones first, `unevaluated…` last. */
const table: ReadonlyMap<string, KeywordCheck> = new Map(
  Object.entries({
    ...scalarKeywords,
    ...objectKeywords,
    ...arrayKeywords,
    ...applicatorKeywords,
    unevaluatedItems,
    unevaluatedProperties,
  }),
);

const checks = new WeakMap<JsonSchema, readonly KeywordCheck[]>();

/** The checks for the keywords of a schema. Keywords that share a check are checked once. */
export function checksOf(schema: JsonSchema): readonly KeywordCheck[] {
  let found = checks.get(schema);
  if (found === undefined) {
    const own = [...table].filter(([keyword]) => Object.hasOwn(schema, keyword));
    found = [...new Set(own.map(([, check]) => check))];
    checks.set(schema, found);
  }
  return found;
}

/** What a schema requires of its validation. */
export interface ValidationNeeds {
  /** A value that matches the compiled schema may still be invalid. */
  readonly isConstrained: boolean;
  /** The schema uses `unevaluatedProperties` or `unevaluatedItems`. */
  readonly tracksEvaluation: boolean;
}

export function validationNeeds(root: JsonSchema | boolean, budget: HealBudget): ValidationNeeds {
  let [isConstrained, tracksEvaluation] = [false, false];
  const reached = new Set<JsonSchema>(typeof root === 'boolean' ? [] : [root]);
  for (const schema of reached) {
    budget.spend(1);
    isConstrained ||= needsValidation(schema);
    tracksEvaluation ||= 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
    for (const { schema: inner } of subschemasOf(schema)) reached.add(inner);
  }
  return { isConstrained, tracksEvaluation };
}

/** Keywords that a compiled schema represents exactly. */
const exactKeywords: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$ref',
]);

/** Keywords that the compiler represents exactly only if no other keyword accompanies them. */
const soleKeywords: readonly string[] = ['$ref', 'anyOf', 'enum', 'const'];

function needsValidation(schema: JsonSchema): boolean {
  // A default may be invalid.
  if ('default' in schema) return true;
  const keywords = Object.keys(schema).filter((keyword) => table.has(keyword));
  if (keywords.some((keyword) => !exactKeywords.has(keyword)) || Array.isArray(schema['items'])) return true;
  if (keywords.includes('enum') || keywords.includes('const')) {
    const { enum: values = [schema['const']] } = schema;
    if (Array.isArray(values) && values.some((value) => typeof value === 'object' && value !== null)) return true;
    return (
      keywords.some((keyword) => keyword !== 'type' && keyword !== 'enum' && keyword !== 'const') || keywords.length > 2
    );
  }
  return keywords.length > 1 && keywords.some((keyword) => soleKeywords.includes(keyword));
}
