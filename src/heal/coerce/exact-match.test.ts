// Which values are returned unchanged.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchesExactly } from './exact-match.ts';
import { compileSchema } from '../schema/schema-compiler.ts';
import type { JsonSchema } from '../schema/schema.ts';

function check(schema: JsonSchema | boolean, good: readonly unknown[], bad: readonly unknown[]): void {
  const compiled = compileSchema(schema).node;
  for (const value of good) assert.equal(matchesExactly(compiled, value), true, JSON.stringify(value));
  for (const value of bad) assert.equal(matchesExactly(compiled, value), false, JSON.stringify(value));
}

describe('matchesExactly', () => {
  test('scalars of exactly the right type', () => {
    check({ type: 'string' }, ['', 'a'], [1, null, [], {}]);
    check({ type: 'number' }, [1, 1.5, -0], ['1', Infinity, null]);
    check({ type: 'integer' }, [1, -5, 5.0], [1.5, '1', 2 ** 53, Infinity]);
    check({ type: 'boolean' }, [true], [1, 'true']);
    check({ type: 'null' }, [null], ['', 0]);
    check({ enum: ['a', 1, null] }, ['a', 1, null], ['A', '1', undefined]);
    check(true, [null, {}, 'a'], []);
    check(false, [], [null, {}]);
  });

  test('types that JSON does not have never match', () => {
    check({ type: 'integer', 'x-type': 'bigint' }, [], [1]);
    check({ type: 'string', 'x-type': 'date' }, [], ['2024-01-01']);
  });

  test('arrays, item by item', () => {
    check({ type: 'array', items: { type: 'integer' } }, [[], [1, 2]], [[1, '2'], {}, 'a']);
    check({ type: 'array' }, [[1, 'a']], [{}]);
    check({ prefixItems: [{ type: 'string' }], items: { type: 'integer' } }, [['a', 1], []], [[1], ['a', 'b']]);
  });

  test('objects with all required fields, no unknown ones and no defaults to fill in', () => {
    const schema = { properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a'] };
    check(schema, [{ a: 1 }, { a: 1, b: 'x' }], [{}, { b: 'x' }, { a: '1' }, { a: 1, c: 2 }, [], null, 'a']);
    check({ properties: { a: { type: 'integer', default: 1 } } }, [{ a: 2 }], [{}]);
    check({ type: 'object', additionalProperties: { type: 'integer' } }, [{}, { x: 1 }], [{ x: 'a' }]);
    check({ properties: {}, additionalProperties: true }, [{ x: 1 }], []);
  });

  test('an inherited property does not count as a member', () => {
    check({ properties: { toString: { type: 'string' } }, required: ['toString'] }, [{ toString: 'a' }], [{}]);
  });

  test('unions, by any branch', () => {
    check({ anyOf: [{ type: 'string' }, { type: 'null' }] }, ['a', null], [1]);
  });

  test('recursive schemas, but not values that are too deep', () => {
    const tree = { properties: { child: { $ref: '#' } } };
    check(tree, [{}, { child: { child: {} } }], [{ child: { child: 1 } }]);
    let deep: unknown = {};
    for (let depth = 0; depth < 10_000; depth++) deep = { child: deep };
    check(tree, [], [deep]);
  });
});
