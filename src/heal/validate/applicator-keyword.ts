// The keywords that apply other schemas to the same value.

import { toKeys } from '../report/linked-path.ts';
import { judgeInPlace, violates, type KeywordCheck, type LocatedViolation, type Scope } from './scope.ts';

export const applicatorKeywords: Readonly<Record<string, KeywordCheck>> = {
  $ref: checkReference,
  allOf: checkAllOf,
  anyOf: checkAnyOf,
  oneOf: checkOneOf,
  not: checkNot,
  if: checkCondition,
};

/** Cost of comparing a reference with one of the schemas that led to it. */
const stepsPerLink = 0.1;

function checkReference(scope: Scope): LocatedViolation | undefined {
  const { $ref: reference } = scope.schema;
  if (typeof reference !== 'string') return undefined;
  const target = scope.validation.resolve(reference);
  // A schema that leads back to itself for the same value adds nothing.
  for (let link = scope.position.chain; link !== undefined; link = link.before) {
    scope.validation.budget.spend(stepsPerLink);
    if (link.schema === target) return undefined;
  }
  return target === scope.schema ? undefined : judgeInPlace(scope, target);
}

function checkAllOf(scope: Scope): LocatedViolation | undefined {
  for (const part of listOf(scope.schema['allOf'])) {
    const violation = judgeInPlace(scope, part);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function checkAnyOf(scope: Scope): LocatedViolation | undefined {
  const violations: LocatedViolation[] = [];
  let isValid = false;
  for (const branch of listOf(scope.schema['anyOf'])) {
    const violation = judgeInPlace(scope, branch);
    if (violation !== undefined) violations.push(violation);
    else isValid = true;
    // Further branches matter only for what they have judged.
    if (isValid && scope.evaluated === undefined) return undefined;
  }
  return isValid ? undefined : nearest(violations);
}

function checkOneOf(scope: Scope): LocatedViolation | undefined {
  const violations: LocatedViolation[] = [];
  let valid = 0;
  for (const branch of listOf(scope.schema['oneOf'])) {
    const violation = judgeInPlace(scope, branch);
    if (violation !== undefined) violations.push(violation);
    else if (++valid > 1) return violates(scope, 'must match exactly one schema of oneOf, but matches several');
  }
  return valid === 1 ? undefined : nearest(violations);
}

/** The violation of the branch that fits best: the deepest one, of a branch for the value's type if there is one. */
function nearest(violations: readonly LocatedViolation[]): LocatedViolation | undefined {
  let [best, most] = [violations[0], -1];
  for (const violation of violations) {
    const rank = 2 * toKeys(violation.path).length + (violation.isOfOtherType === true ? 0 : 1);
    if (rank > most) [best, most] = [violation, rank];
  }
  return best;
}

function checkNot(scope: Scope): LocatedViolation | undefined {
  const isMatch = judgeInPlace({ ...scope, evaluated: undefined }, scope.schema['not']) === undefined;
  return isMatch ? violates(scope, 'must not match the schema of not') : undefined;
}

function checkCondition(scope: Scope): LocatedViolation | undefined {
  const { if: condition, then: whenTrue, else: whenFalse } = scope.schema;
  const isMatch = judgeInPlace(scope, condition) === undefined;
  const consequence = isMatch ? whenTrue : whenFalse;
  return consequence === undefined ? undefined : judgeInPlace(scope, consequence);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
