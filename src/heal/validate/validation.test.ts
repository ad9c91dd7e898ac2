// Which values are invalid, with path and message.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HealError } from '../report/error.ts';
import { heal } from '../heal.ts';
import { toTarget } from '../schema/schema-input.ts';
import type { JsonSchema } from '../schema/schema.ts';
import { validate, type Review } from './validation.ts';

function review(schema: JsonSchema, value: unknown): Review {
  const { validation } = toTarget(schema);
  assert.ok(validation !== undefined);
  return validate(validation, value);
}

const cases: readonly [schema: Record<string, unknown>, good: unknown, bad: unknown, message: RegExp][] = [
  [{ type: 'string', minLength: 2 }, 'ab', '👩', /at least 2 characters/],
  [{ type: 'string', maxLength: 2 }, '👩👩', 'abc', /at most 2 characters/],
  [{ type: 'string', pattern: '^a+$' }, 'aa', 'ab', /must match/],
  [{ type: 'string', format: 'date' }, '2026-11-15', '15.11.2026', /valid date/],
  [{ type: 'string', format: 'email' }, 'a@b.c', 'nobody', /valid email/],
  [{ type: 'string', format: 'uuid' }, '00000000-0000-4000-8000-000000000000', '1', /valid uuid/],
  [{ type: 'integer', minimum: 1 }, 1, 0, /at least 1/],
  [{ type: 'integer', maximum: 9 }, 9, 10, /at most 9/],
  [{ type: 'number', exclusiveMinimum: 0 }, 0.1, 0, /greater than 0/],
  [{ type: 'number', exclusiveMaximum: 1 }, 0.9, 1, /less than 1/],
  [{ type: 'number', multipleOf: 0.1 }, 0.3, 0.35, /multiple of 0.1/],
  [{ type: 'array', minItems: 1 }, [1], [], /at least 1 items/],
  [{ type: 'array', maxItems: 1 }, [1], [1, 2], /at most 1 items/],
  [{ type: 'array', uniqueItems: true }, [1, 2], [1, 1], /duplicate/],
  [{ type: 'object', minProperties: 1 }, { a: 1 }, {}, /at least 1 properties/],
];

for (const [schema, good, bad, message] of cases) {
  test(`${JSON.stringify(schema)} accepts ${JSON.stringify(good)} and rejects ${JSON.stringify(bad)}`, () => {
    assert.equal(review(schema, good).violation, undefined);
    assert.match(review(schema, bad).violation?.message ?? '', message);
  });
}

test('the path is reported, also inside a union and an array', () => {
  const schema = {
    type: 'object',
    properties: { scores: { type: 'array', items: { anyOf: [{ type: 'integer', maximum: 10 }, { type: 'null' }] } } },
  };
  const { path } = review(schema, { scores: [1, null, 11] }).violation ?? {};
  assert.deepEqual(path, ['scores', 2]);
});

test('an invalid pattern is not checked, and flagged', () => {
  const schema = { type: 'string', pattern: '(' };
  assert.deepEqual(review(schema, 'x'), {
    violation: undefined,
    unchecked: [{ kind: 'unchecked-pattern', expected: '(', count: 1, path: [] }],
  });
  const { value, flags, confidence } = heal('"x"', schema);
  assert.deepEqual([value, flags.map(({ kind }) => kind), confidence], ['x', ['unchecked-pattern'], 0.999]);
  assert.throws(
    () => heal('"x"', schema, { strict: true }),
    (error: unknown) =>
      error instanceof HealError && error.kind === 'strict' && /could not be checked/.test(error.message),
  );
});

test('healing rejects a value that violates a constraint, and names the path', () => {
  const schema = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] };
  assert.throws(
    () => heal('{"age": "-1",}', schema),
    (error: unknown) =>
      error instanceof HealError && error.kind === 'invalid-value' && /age: must be at least 0/.test(error.message),
  );
});
