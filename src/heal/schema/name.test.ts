// Which names are the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseName } from './name.ts';

test('names that differ in case, marks between words, accents and width are the same', () => {
  const same: readonly (readonly [string, string])[] = [
    ['userName', 'user_name'],
    ['user-name', 'USER NAME'],
    ['user.name', 'username'],
    ['Größe', 'grosse'],
    ['naïve', 'naive'],
    ['ｆｏｏ', 'foo'],
    ['ﬁle', 'file'],
    ['a\u0301', 'á'],
  ];
  for (const [left, right] of same) assert.equal(normaliseName(left), normaliseName(right), `${left} ${right}`);
});

test('letters and digits tell names apart', () => {
  assert.notEqual(normaliseName('name1'), normaliseName('name2'));
  assert.notEqual(normaliseName('user'), normaliseName('users'));
  assert.notEqual(normaliseName('имя'), normaliseName('имени'));
});

test('a name of marks only is empty', () => {
  assert.equal(normaliseName('_-. '), '');
});
