// `locate`: flags with the place in the text that they are about.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heal, healStream, type Flag } from '../index.ts';

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'age'],
} as const;

/** The touched text of each kind. */
function touched(text: string, flags: readonly Flag[]): Record<string, string | undefined> {
  return Object.fromEntries(flags.map(({ kind, at }) => [kind, at && text.slice(...at)]));
}

test('a flag has the offsets of the text that it touches', () => {
  const text = `{name: 'Ada', "age": "36", }`;
  const { flags } = heal(text, person, { locate: true });
  const places = touched(text, flags);
  assert.equal(places['type-coercion'], '"36"');
  assert.ok(flags.every(({ at }) => at !== undefined && at[0] <= at[1] && at[1] <= text.length));
  assert.deepEqual(Object.keys(places).toSorted(), [
    'fixed-quotes',
    'fixed-trailing-comma',
    'type-coercion',
    'unquoted-key',
  ]);
});

test('an insertion is an empty range', () => {
  const text = `{"name": "Ada" "age": 36}`;
  const [flag] = heal(text, person, { locate: true }).flags;
  assert.equal(flag?.kind, 'inserted-comma');
  assert.deepEqual(flag.at, [15, 15]);
});

test('text around the value: the range is the value', () => {
  const value = `{"name": "Ada", "age": 36}`;
  const text = `Sure!\n\`\`\`json\n${value}\n\`\`\`\n`;
  const { flags } = heal(text, person, { locate: true });
  assert.equal(touched(text, flags)['stripped-markdown'], value);
});

test('changes inside a string and in escaped text have no place', () => {
  const inside = heal(`{"name": "Ada", "age": 36, "tags": "['a', 'b']"}`, person, { locate: true });
  const quotes = inside.flags.filter(({ kind }) => kind === 'fixed-quotes');
  assert.ok(quotes.length > 0 && quotes.every(({ at }) => at === undefined));
  assert.ok(inside.flags.some(({ kind, at }) => kind === 'parsed-string' && at !== undefined));
  const escaped = heal(String.raw`{\"name\": \"Ada\", \"age\": \"36\"}`, person, { locate: true });
  assert.ok(escaped.flags.length > 0 && escaped.flags.every(({ at }) => at === undefined));
});

test('value and confidence are the same, and without the option no flag has a place', () => {
  const text = `Here: {name: 'Ada', "age": "36",`;
  const plain = heal(text, person);
  const located = heal(text, person, { locate: true });
  assert.ok(plain.flags.every((flag) => !('at' in flag)));
  assert.deepEqual({ ...located, flags: located.flags.map(({ at: _at, ...flag }) => flag) }, plain);
  const stream = healStream(person, { locate: true });
  for (const unit of text) stream.push(unit);
  assert.deepEqual(stream.end(), located);
});
