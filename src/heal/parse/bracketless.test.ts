// Responses without brackets: Markdown lists, bold keys, constructor calls.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bulletItems } from './bracketless.ts';
import { heal } from '../index.ts';

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
const people = { type: 'array', items: person };

test('lines with a bullet are items, and indented lines continue them', () => {
  assert.deepEqual(bulletItems('Here they are:\n\n- a\n  more\n- "b",\n'), ['a\n  more', 'b']);
  assert.deepEqual(bulletItems('1. a\n2) b\n   - c'), ['a', 'b\n   - c']);
  assert.equal(bulletItems('- a\nand then\n- b'), undefined);
  assert.equal(bulletItems('- a'), undefined);
  assert.equal(bulletItems('one - two'), undefined);
});

test('a Markdown list is an array if the schema wants one', () => {
  const { value, flags } = heal('* "red"\n* green\n', { type: 'array', items: { type: 'string' } });
  assert.deepEqual(value, ['red', 'green']);
  assert.ok(flags.some(({ kind, count }) => kind === 'collected-values' && count === 2));
  assert.deepEqual(heal('1. 12\n2. 1,300\n', { type: 'array', items: { type: 'integer' } }).value, [12, 1300]);
  const healed = heal('- name: Ada\n  age: 36\n- name: Bob\n  age: 40\n- name: Eve\n  age: 50', people);
  assert.deepEqual(healed.value, [
    { name: 'Ada', age: 36 },
    { name: 'Bob', age: 40 },
    { name: 'Eve', age: 50 },
  ]);
  assert.ok(healed.confidence > 0.8);
  assert.deepEqual(
    healed.flags.flatMap(({ kind, path }) => (kind === 'unquoted-string' ? [path] : [])),
    [
      [0, 'name'],
      [1, 'name'],
      [2, 'name'],
    ],
  );
});

test('bold keys and constructor calls are read if the schema knows the keys', () => {
  assert.deepEqual(heal('**Name:** Ada\n**Age:** 36', person).value, { name: 'Ada', age: 36 });
  assert.deepEqual(heal("Person(name='Ada', age=36)", person).value, { name: 'Ada', age: 36 });
  assert.deepEqual(heal('dict(age=36,\n     name="Ada")', person).value, { name: 'Ada', age: 36 });
  assert.throws(() => heal('print(36)', person));
});
