// Valid and invalid values for each field type.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FieldDefinition, FieldType } from './definition.ts';
import { checkValue } from './value.ts';

function field(type: FieldType): FieldDefinition {
  return { type, description: '', choices: ['memory', 'redis'] };
}

describe('a value of the right type is accepted', () => {
  for (const [type, written, value] of [
    ['string', 'text', 'text'],
    ['boolean', false, false],
    ['integer', -3, -3],
    ['number', 0.5, 0.5],
    ['duration', '1m30s', 90_000],
    ['URL', 'https://example.com', 'https://example.com'],
    ['path', './file', './file'],
    ['choice', 'redis', 'redis'],
    ['list of strings', ['a'], ['a']],
    ['list of strings', [], []],
    ['map of strings', { a: 'b' }, { a: 'b' }],
  ] as const) {
    test(`${type}: ${JSON.stringify(written)}`, () => {
      assert.deepEqual(checkValue(written, field(type)), { value });
    });
  }
});

describe('a value of a wrong type is rejected with the expected type', () => {
  for (const [type, written, problem] of [
    ['string', 5, 'must be a string, not 5'],
    ['string', [], 'must be a string, not a list'],
    ['string', {}, 'must be a string, not a table'],
    ['string', new Date(0), 'must be a string, not a date'],
    ['boolean', 'yes', 'must be true or false, not a string'],
    ['integer', 1.5, 'must be an integer, not 1.5'],
    ['integer', '5', 'must be an integer, not a string'],
    ['number', Infinity, 'must be a number, not Infinity'],
    ['duration', 30, '30 has no unit; write "30s" for seconds or "30ms" for milliseconds'],
    ['duration', true, 'must be a duration, such as "30s", not true'],
    ['choice', 7, 'must be a string, not 7'],
    ['choice', 'memroy', '"memroy" is not a valid value; did you mean "memory"?'],
    ['choice', 'disk', '"disk" is not a valid value; use one of memory, redis'],
    ['list of strings', 'a', 'must be a list of strings, such as ["one", "two"], not a string'],
    ['list of strings', ['a', 5], 'must be a list of strings, such as ["one", "two"], not a list with 5 in it'],
    ['map of strings', { a: [] }, /not a table with a list in it$/],
  ] as const) {
    test(`${type}: ${JSON.stringify(written)}`, () => {
      const checked = checkValue(written, field(type));
      assert.ok('problem' in checked);
      if (typeof problem === 'string') assert.equal(checked.problem, problem);
      else assert.match(checked.problem, problem);
    });
  }
});

test('the rule of a field is checked after its type', () => {
  const ruled: FieldDefinition = { type: 'integer', description: '', rule: (value) => `no ${value}` };
  assert.deepEqual(checkValue(5, ruled), { problem: 'no 5' });
  assert.deepEqual(checkValue('5', ruled), { problem: 'must be an integer, not a string' });
});
