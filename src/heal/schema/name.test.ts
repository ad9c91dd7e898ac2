// Which names are equal after normalisation.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseName } from './name.ts';

test('names that differ in case, separators, accents and width are equal', () => {
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

test('letters and digits distinguish names', () => {
  assert.notEqual(normaliseName('name1'), normaliseName('name2'));
  assert.notEqual(normaliseName('user'), normaliseName('users'));
  assert.notEqual(normaliseName('имя'), normaliseName('имени'));
});

test('a name without letters and digits is empty', () => {
  assert.equal(normaliseName('_-. '), '');
});
