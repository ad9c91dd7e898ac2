// The keywords that judge the members of an object. Other values pass.

import { isRecord, toStrings } from '../schema/keyword.ts';
import { limitOf } from './scalar-keyword.ts';
import { judgeChild, judgeInPlace, violates, type KeywordCheck, type LocatedViolation, type Scope } from './scope.ts';

const sizeCheck = forObjects(checkSize);

export const objectKeywords: Readonly<Record<string, KeywordCheck>> = {
  required: forObjects(checkRequired),
  minProperties: sizeCheck,
  maxProperties: sizeCheck,
  properties: forObjects(checkProperties),
  patternProperties: forObjects(checkPatternProperties),
  additionalProperties: forObjects(checkAdditionalProperties),
  propertyNames: forObjects(checkNames),
  dependentRequired: forObjects((scope, members) => checkDependencies(scope, members, 'dependentRequired')),
  dependentSchemas: forObjects((scope, members) => checkDependencies(scope, members, 'dependentSchemas')),
  dependencies: forObjects((scope, members) => checkDependencies(scope, members, 'dependencies')),
};

/** Runs last: it judges what no other keyword has judged. */
export const unevaluatedProperties: KeywordCheck = forObjects((scope, members) => {
  const { schema, evaluated } = scope;
  return firstOf(Object.keys(members), (name) =>
    evaluated?.has(name) ? undefined : judgeOther(scope, schema['unevaluatedProperties'], name, members[name]),
  );
});

type Members = Readonly<Record<string, unknown>>;

function forObjects(check: (scope: Scope, members: Members) => LocatedViolation | undefined): KeywordCheck {
  return (scope) => {
    if (!isRecord(scope.value)) return undefined;
    return check(scope, scope.value);
  };
}

function checkRequired(scope: Scope, members: Members): LocatedViolation | undefined {
  const names = toStrings(scope.schema['required']);
  scope.validation.budget.spend(names.length);
  const missing = names.find((name) => !Object.hasOwn(members, name));
  return missing === undefined ? undefined : violates(scope, `must have the property ${JSON.stringify(missing)}`);
}

function checkSize(scope: Scope, members: Members): LocatedViolation | undefined {
  const count = Object.keys(members).length;
  scope.validation.budget.spend(count / 16);
  const [least, most] = [limitOf(scope.schema, 'minProperties', 0), limitOf(scope.schema, 'maxProperties', Infinity)];
  if (count < least) return violates(scope, `must have at least ${least} properties`);
  return count > most ? violates(scope, `must have at most ${most} properties`) : undefined;
}

function checkProperties(scope: Scope, members: Members): LocatedViolation | undefined {
  const { properties } = scope.schema;
  if (!isRecord(properties)) return undefined;
  const names = Object.keys(members);
  scope.validation.budget.spend(names.length);
  return firstOf(names, (name) =>
    Object.hasOwn(properties, name) ? judgeChild(scope, properties[name], name, members[name]) : undefined,
  );
}

function checkPatternProperties(scope: Scope, members: Members): LocatedViolation | undefined {
  const { patternProperties } = scope.schema;
  if (!isRecord(patternProperties)) return undefined;
  return firstOf(Object.entries(patternProperties), ([pattern, schema]) =>
    firstOf(Object.keys(members), (name) =>
      nameMatches(scope, pattern, name) === true ? judgeChild(scope, schema, name, members[name]) : undefined,
    ),
  );
}

function checkAdditionalProperties(scope: Scope, members: Members): LocatedViolation | undefined {
  const { properties, patternProperties, additionalProperties } = scope.schema;
  const declared = isRecord(properties) ? properties : {};
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  return firstOf(Object.keys(members), (name) => {
    // A pattern that cannot be checked might match.
    const isDeclared =
      Object.hasOwn(declared, name) || patterns.some((pattern) => nameMatches(scope, pattern, name) !== false);
    return isDeclared ? undefined : judgeOther(scope, additionalProperties, name, members[name]);
  });
}

function nameMatches({ validation, position }: Scope, pattern: string, name: string): boolean | undefined {
  validation.budget.spend(1);
  return validation.matches(pattern, name, position);
}

function judgeOther(scope: Scope, schema: unknown, name: string, member: unknown): LocatedViolation | undefined {
  if (schema === false) return violates(scope, `must not have the property ${JSON.stringify(name)}`);
  return judgeChild(scope, schema, name, member);
}

function checkNames(scope: Scope, members: Members): LocatedViolation | undefined {
  const { validation, schema, position } = scope;
  return firstOf(Object.keys(members), (key) => {
    const path = { parent: position.path, key };
    const { violation } = validation.judge(schema['propertyNames'], key, { ...position, path, chain: undefined });
    return violation && { path, message: `the name ${violation.message}` };
  });
}

function checkDependencies(scope: Scope, members: Members, keyword: string): LocatedViolation | undefined {
  const dependencies = scope.schema[keyword];
  if (!isRecord(dependencies)) return undefined;
  return firstOf(Object.entries(dependencies), ([name, needed]) => {
    scope.validation.budget.spend(1);
    if (!Object.hasOwn(members, name)) return undefined;
    if (!Array.isArray(needed) && typeof needed !== 'string') return judgeInPlace(scope, needed);
    const missing = toStrings(needed).find((other) => !Object.hasOwn(members, other));
    if (missing === undefined) return undefined;
    const [has, lacks] = [JSON.stringify(name), JSON.stringify(missing)];
    return violates(scope, `must have the property ${lacks}, because it has ${has}`);
  });
}

function firstOf<T>(
  parts: readonly T[],
  check: (part: T) => LocatedViolation | undefined,
): LocatedViolation | undefined {
  for (const part of parts) {
    const violation = check(part);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
