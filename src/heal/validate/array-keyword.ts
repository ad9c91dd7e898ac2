// The keywords that judge the items of an array. Other values pass.

import { limitOf } from './scalar-keyword.ts';
import { judgeChild, violates, type KeywordCheck, type LocatedViolation, type Scope } from './scope.ts';

const [lengthCheck, itemCheck] = [forArrays(checkLength), forArrays(checkItems)];

export const arrayKeywords: Readonly<Record<string, KeywordCheck>> = {
  minItems: lengthCheck,
  maxItems: lengthCheck,
  uniqueItems: forArrays(checkUnique),
  prefixItems: itemCheck,
  items: itemCheck,
  contains: forArrays(checkContains),
};

/** Runs last: it judges what no other keyword has judged. */
export const unevaluatedItems: KeywordCheck = forArrays((scope, items) => {
  for (const [index, item] of items.entries()) {
    if (scope.evaluated?.has(index)) continue;
    const violation = judgeItem(scope, scope.schema['unevaluatedItems'], index, item);
    if (violation !== undefined) return violation;
  }
  return undefined;
});

type Items = readonly unknown[];

function forArrays(check: (scope: Scope, items: Items) => LocatedViolation | undefined): KeywordCheck {
  return (scope) => (Array.isArray(scope.value) ? check(scope, scope.value) : undefined);
}

function checkLength(scope: Scope, { length }: Items): LocatedViolation | undefined {
  const [least, most] = [limitOf(scope.schema, 'minItems', 0), limitOf(scope.schema, 'maxItems', Infinity)];
  if (length < least) return violates(scope, `must have at least ${least} items`);
  return length > most ? violates(scope, `must have at most ${most} items`) : undefined;
}

function checkUnique(scope: Scope, items: Items): LocatedViolation | undefined {
  if (scope.schema['uniqueItems'] !== true) return undefined;
  const { structuralIds } = scope.validation;
  const ids = new Set(items.map((item) => structuralIds.of(item)));
  return ids.size === items.length ? undefined : violates(scope, 'must not have duplicate items');
}

/** Up to draft 2019-09, `items` may be a list, and `additionalItems` is the schema of the others. */
function checkItems(scope: Scope, items: Items): LocatedViolation | undefined {
  const { prefixItems, items: own, additionalItems } = scope.schema;
  const [first, rest] = Array.isArray(own) ? [own, additionalItems] : [prefixItems, own];
  const prefix: readonly unknown[] = Array.isArray(first) ? first : [];
  for (const [index, item] of items.entries()) {
    const schema = index < prefix.length ? prefix[index] : rest;
    if (schema === undefined) break;
    const violation = judgeItem(scope, schema, index, item);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function judgeItem(scope: Scope, schema: unknown, index: number, item: unknown): LocatedViolation | undefined {
  if (schema === false) return violates(scope, `must have at most ${index} items`);
  return judgeChild(scope, schema, index, item);
}

function checkContains(scope: Scope, items: Items): LocatedViolation | undefined {
  const { schema, evaluated } = scope;
  const [least, most] = [limitOf(schema, 'minContains', 1), limitOf(schema, 'maxContains', Infinity)];
  let found = 0;
  for (const [index, item] of items.entries()) {
    if (judgeChild({ ...scope, evaluated: undefined }, schema['contains'], index, item) !== undefined) continue;
    evaluated?.add(index);
    found++;
  }
  if (found < least) return violates(scope, `must contain at least ${least} items that match the schema of contains`);
  return found > most
    ? violates(scope, `must contain at most ${most} items that match the schema of contains`)
    : undefined;
}
