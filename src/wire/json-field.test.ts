// Reading a client's JSON strictly: what is accepted, and the errors for what is not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../core/error.ts';
import { JsonField, unknownMembers } from './json-field.ts';

const body = {
  text: 'a',
  count: 3,
  part: 0.5,
  flag: false,
  nothing: null,
  list: [{ name: 'first' }, { name: 7 }],
  choice: 'red',
};
const root = new JsonField(body);

test('members are read as their type', () => {
  assert.equal(root.get('text').string(), 'a');
  assert.equal(root.get('count').integer(), 3);
  assert.equal(root.get('part').number(), 0.5);
  assert.equal(root.get('flag').boolean(), false);
  assert.deepEqual(root.get('list').items()[0]?.json(), { name: 'first' });
  assert.equal(root.get('choice').oneOf(['red', 'green']), 'red');
});

test('a member that is missing or null is absent', () => {
  for (const name of ['missing', 'nothing']) {
    assert.equal(root.get(name).isAbsent, true);
    assert.equal(
      root.get(name).optional((field) => field.string()),
      undefined,
    );
  }
  assert.equal(root.get('flag').isAbsent, false);
});

describe('an error names the field', () => {
  const cases: readonly (readonly [expected: string, read: () => unknown])[] = [
    ['text: must be a number', () => root.get('text').number()],
    ['part: must be an integer', () => root.get('part').integer()],
    ['text: must be true or false', () => root.get('text').boolean()],
    ['text: must be an array', () => root.get('text').items()],
    ['list: must be an object', () => root.get('list').object()],
    ['list.1.name: must be a string', () => root.get('list').items()[1]?.get('name').string()],
    ['choice: must be one of "green", "blue"', () => root.get('choice').oneOf(['green', 'blue'])],
    ['missing: required field is missing', () => root.get('missing').string()],
    ['nothing: required field is missing', () => root.get('nothing').oneOf(['a'])],
    ['text: must be an object', () => root.get('text').get('inner')],
    ['the request body must be an object', () => new JsonField([]).get('model')],
    ['the request body must be an object', () => new JsonField(undefined).object()],
    ['count: must be greater than 3', () => root.get('count').fail('must be greater than 3')],
  ];
  for (const [expected, read] of cases) {
    test(expected, () => {
      assert.throws(read, (error) => {
        assert.ok(error instanceof SimpleAgentsError);
        assert.equal(error.message, expected);
        assert.equal(error.kind, 'bad-request');
        assert.equal(error.field, expected.includes(': ') ? expected.split(': ', 1)[0] : undefined);
        return true;
      });
    });
  }

  test('numbers that JSON cannot represent are rejected', () => {
    assert.throws(() => new JsonField({ n: Number.NaN }).get('n').number(), /n: must be a number/);
    assert.throws(() => new JsonField({ n: 2 ** 60 }).get('n').integer(), /n: must be an integer/);
  });
});

test('unknown members are returned, and undefined if there are none', () => {
  assert.deepEqual(unknownMembers({ a: 1, b: 2 }, new Set(['a'])), { b: 2 });
  assert.equal(unknownMembers({ a: 1 }, new Set(['a'])), undefined);
});
