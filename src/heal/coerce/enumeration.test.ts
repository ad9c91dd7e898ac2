// Finding the enum value that a text means.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchEnum, type EnumMatch } from './enumeration.ts';
import { heal } from '../heal.ts';
import { HealError } from '../report/error.ts';
import { compileSchema } from '../schema/schema-compiler.ts';
import type { EnumSchema, JsonSchema } from '../schema/schema.ts';

function matcher(schema: JsonSchema): (text: string) => EnumMatch | undefined {
  const compiled = compileSchema(schema).node as EnumSchema;
  return (text) => matchEnum(compiled, text);
}

const colour = matcher({
  enum: ['RED', 'DARK_GREEN', 'Größe'],
  'x-enum-aliases': { RED: ['rouge', 'the colour of blood'], DARK_GREEN: ['k2'] },
});

describe('matchEnum', () => {
  test('finds the exact value', () => {
    assert.deepEqual(colour('RED'), { value: 'RED', by: 'exact' });
    assert.deepEqual(colour('rouge'), { value: 'RED', by: 'exact' });
  });

  test('ignores case, separators and surrounding punctuation', () => {
    for (const text of ['red', ' Red ', '"RED"', '**RED**', 'RED.', '`red`', 'ROUGE']) {
      assert.deepEqual(colour(text), { value: 'RED', by: 'similar' }, text);
    }
    for (const text of ['dark green', 'Dark-Green', 'darkGreen', 'DARK.GREEN']) {
      assert.deepEqual(colour(text), { value: 'DARK_GREEN', by: 'similar' }, text);
    }
    assert.equal(colour('grosse')?.value, 'Größe');
    assert.equal(colour('GRÖSSE')?.value, 'Größe');
  });

  test('finds "name: description", as prompts list values', () => {
    assert.equal(colour('rouge: the colour of blood')?.value, 'RED');
  });

  test('finds the only value that is mentioned', () => {
    assert.deepEqual(colour('I would say RED, yes'), { value: 'RED', by: 'mention' });
    assert.deepEqual(colour('It is dark green.'), { value: 'DARK_GREEN', by: 'similar-mention' });
    assert.deepEqual(colour('red, and once more: RED'), { value: 'RED', by: 'mention' });
  });

  test('finds nothing if two values are mentioned', () => {
    assert.equal(colour('red or dark green'), undefined);
  });

  test('finds nothing if the mention is negated', () => {
    const negations = [
      'not red',
      'It is not a red',
      "isn't red",
      'never red',
      'no red',
      'neither red nor blue',
      'not "red"',
    ];
    for (const text of [
      ...negations,
      'is not really red',
      "don't say red",
      'anything but red',
      'cannot be red',
      'not the red',
    ]) {
      assert.equal(colour(text), undefined, text);
    }
  });

  test('matches entire words only', () => {
    for (const text of ['reddish', 'infrared', 'red2', 'a_red_b']) assert.equal(colour(text), undefined, text);
  });

  test('prefers the longer of two overlapping names', () => {
    const spam = matcher({ enum: ['SPAM', 'NOT_SPAM'] });
    assert.equal(spam('this is NOT SPAM, surely')?.value, 'NOT_SPAM');
    assert.equal(spam('spam or not spam'), undefined);
  });

  test('takes another spelling only from a short text, the exact one also from a longer one', () => {
    const words = 'word '.repeat(60);
    assert.equal(colour(`${words} red`), undefined);
    assert.deepEqual(colour(`${words} RED`), { value: 'RED', by: 'mention' });
    assert.equal(colour(`${'word '.repeat(1000)} RED`), undefined);
  });

  test('does not take a heading for the value', () => {
    for (const text of ['Red: what is it?', '**Red:** what is it?', 'I read it.\n\nRed:\nWhat?']) {
      assert.equal(colour(text), undefined, text);
    }
    for (const text of ['RED: it looks like it', 'Colour: red', 'It is red:']) {
      assert.equal(colour(text)?.value, 'RED', text);
    }
  });

  test('returns values that are not strings unchanged', () => {
    const level = matcher({ enum: [1, 2, true, null] });
    assert.deepEqual(level('2'), { value: 2, by: 'exact' });
    assert.deepEqual(level('True'), { value: true, by: 'similar' });
  });

  test('treats names as text, not as patterns', () => {
    const operators = matcher({ enum: ['a.b', 'c++', '(x)', ''] });
    assert.equal(operators('the c++ one')?.value, 'c++');
    assert.equal(operators('aXb'), undefined);
    assert.equal(operators('something else'), undefined);
  });
});

test('an enum of objects and lists', () => {
  const schema = { enum: [{ code: 'USD', rate: [1, 2] }, ['none'], 'other'] };
  assert.deepEqual(heal("{'rate': [1, 2,], code: USD}", schema).value, { rate: [1, 2], code: 'USD' });
  assert.deepEqual(heal("['none',]", schema).value, ['none']);
  for (const text of ["{'rate': [1], 'code': 'USD'}", "['none', 'none']", '{}'])
    assert.throws(() => heal(text, schema), HealError, text);
});

test('values that differ only in a separator are distinguished', () => {
  const match = matcher({ enum: ['j', 'j-', 'k'] });
  assert.deepEqual(match('J-'), { value: 'j-', by: 'similar' });
  assert.deepEqual(match('J'), { value: 'j', by: 'similar' });
  assert.equal(match('-J'), undefined);
  assert.deepEqual(match('K-'), { value: 'k', by: 'similar' });
});
