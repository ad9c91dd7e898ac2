// One example for each flag: the text, the schema if one is needed, the value that comes out. The tests check them,
// and the documentation shows them.

import type { FlagKind, JsonSchema } from '../../src/heal/index.ts';

export interface FlagExample {
  readonly flag: FlagKind;
  readonly text: string;
  readonly schema?: JsonSchema;
  readonly value: unknown;
  readonly note: string;
  /** It is so much of a guess that the value is refused by default. */
  readonly refused?: true;
  /** It is a flag of early commit only: `healText`. */
  readonly early?: true;
}

const text = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };

function object(properties: Readonly<Record<string, unknown>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function list(items: unknown): JsonSchema {
  return { type: 'array', items };
}

export const flagExamples: readonly FlagExample[] = [
  {
    flag: 'stripped-markdown',
    text: '```json\n{"a": 1}\n```',
    value: { a: 1 },
    note: 'a code fence around the value',
  },
  {
    flag: 'stripped-prose',
    text: 'Sure! Here it is: {"a": 1}',
    value: { a: 1 },
    note: 'words around the value',
  },
  {
    flag: 'stripped-think',
    text: '<think>one? {"a": 0}</think>{"a": 1}',
    value: { a: 1 },
    note: 'what the model thought before it answered',
  },
  {
    flag: 'stripped-wrapper',
    text: '{"id": ObjectId("507f")}',
    value: { id: '507f' },
    note: 'a call around a value',
  },
  {
    flag: 'stripped-comment',
    text: '{"a": 1 /* one */}',
    value: { a: 1 },
    note: 'a comment, in the manner of C, of a script, or to the end of the line',
  },
  {
    flag: 'stripped-ellipsis',
    text: '[1, 2, ...]',
    value: [1, 2],
    note: 'dots that stand for more of the same',
  },
  {
    flag: 'chose-value',
    text: '{"a": 1} and {"a": 2}',
    schema: object({ a: integer }),
    value: { a: 2 },
    note: 'one of several values',
  },
  {
    flag: 'collected-values',
    text: '{"a": 1}\n{"a": 2}',
    schema: list(object({ a: integer })),
    value: [{ a: 1 }, { a: 2 }],
    note: 'several values where a list is wanted',
  },
  { flag: 'fixed-trailing-comma', text: '[1, 2,]', value: [1, 2], note: 'a comma that nothing follows' },
  { flag: 'fixed-leading-comma', text: '[, 1]', value: [1], note: 'a comma that nothing precedes' },
  {
    flag: 'fixed-quotes',
    text: "{'a': 'b'}",
    value: { a: 'b' },
    note: 'single, smart, back-tick or triple quotes',
  },
  {
    flag: 'fixed-inner-quotes',
    text: '{"a": "he said "hi" to me"}',
    value: { a: 'he said "hi" to me' },
    note: 'quotes inside a string that are not escaped',
  },
  { flag: 'fixed-escape', text: '{"a": "50\\% off"}', value: { a: '50% off' }, note: 'an escape JSON does not have' },
  {
    flag: 'fixed-control-character',
    text: '{"a": "two\nlines"}',
    value: { a: 'two\nlines' },
    note: 'a line break or tab in a string',
  },
  { flag: 'fixed-literal', text: '{"a": True}', value: { a: true }, note: 'a literal of Python or JavaScript' },
  { flag: 'fixed-number', text: '{"a": +01}', value: { a: 1 }, note: 'a number JSON writes otherwise' },
  { flag: 'fixed-whitespace', text: '{"a":\u00a01}', value: { a: 1 }, note: 'a space JSON does not have' },
  { flag: 'fixed-colon', text: '{"a" = 1}', value: { a: 1 }, note: 'another sign for the colon, or none' },
  { flag: 'fixed-separator', text: '{"a": 1; "b": 2}', value: { a: 1, b: 2 }, note: 'a semicolon for the comma' },
  {
    flag: 'fixed-brackets',
    text: '{"a": [1, 2}, "b": 3}',
    value: { a: [1, 2], b: 3 },
    note: 'a bracket of the wrong kind',
  },
  { flag: 'unquoted-key', text: '{a: 1}', value: { a: 1 }, note: 'a key without quotes' },
  {
    flag: 'unquoted-string',
    text: '{"a": hello world}',
    value: { a: 'hello world' },
    note: 'a string without quotes',
  },
  { flag: 'joined-strings', text: '["x" + "y"]', value: ['xy'], note: 'strings put together by a plus' },
  { flag: 'inserted-comma', text: '{"a": 1 "b": 2}', value: { a: 1, b: 2 }, note: 'a comma that was missing' },
  {
    flag: 'inserted-quote',
    text: '{"a": "x, "b": 1}',
    value: { a: 'x', b: 1 },
    note: 'the end quote of a string was missing',
  },
  {
    flag: 'inserted-brackets',
    text: '[{"a": {"b": 1}, {"a": 2}]',
    value: [{ a: { b: 1 } }, { a: 2 }],
    note: 'a closing bracket was missing inside',
  },
  { flag: 'dropped-text', text: '{"a": 1, oops then}', value: { a: 1 }, note: 'words that are no member' },
  { flag: 'dropped-bracket', text: '{{"a": 1}', value: { a: 1 }, note: 'a bracket too many' },
  {
    flag: 'guessed-structure',
    text: '{"a": [1, {"b": 2], "c": 3}',
    value: { a: [1, { b: 2 }], c: 3 },
    note: 'brackets that could be mended in more than one way',
    refused: true,
  },
  { flag: 'duplicate-key', text: '{"a": 1, "a": 2,}', value: { a: 2 }, note: 'a key twice; the last counts' },
  { flag: 'missing-value', text: '{"a": , "b": 1}', value: { a: null, b: 1 }, note: 'a key without a value' },
  {
    flag: 'closed-truncated',
    text: '{"a": [1, 2',
    value: { a: [1, 2] },
    note: 'the text ended before the value did',
  },
  {
    flag: 'precision-lost',
    text: '{"a": 9007199254740993,}',
    value: { a: 9_007_199_254_740_992 },
    note: 'an integer that a number cannot hold exactly',
  },
  {
    flag: 'fuzzy-field-match',
    text: '{"User Name": "Ann"}',
    schema: object({ userName: text }),
    value: { userName: 'Ann' },
    note: 'a key by another name: alias, case, marks between words',
  },
  {
    flag: 'ambiguous-key',
    text: '{"user_name": "Ann", "USER-NAME": "Bob"}',
    schema: object({ userName: text }),
    value: { userName: 'Ann' },
    note: 'two keys for one field; the first counts',
  },
  {
    flag: 'type-coercion',
    text: '{"a": "$1,234.50"}',
    schema: object({ a: number }),
    value: { a: 1234.5 },
    note: 'a value of another type, read as the one that is wanted',
  },
  {
    flag: 'rounded-number',
    text: '{"a": 5.6}',
    schema: object({ a: integer }),
    value: { a: 6 },
    note: 'a fraction where an integer is wanted',
  },
  {
    flag: 'enum-match',
    text: '{"a": "not spam"}',
    schema: object({ a: { enum: ['SPAM', 'NOT_SPAM'] } }),
    value: { a: 'NOT_SPAM' },
    note: 'a value of an enumeration in another spelling, or by an alias',
  },
  {
    flag: 'enum-mention',
    text: '{"a": "I am sure it is spam", "b": 1}',
    schema: object({ a: { enum: ['SPAM', 'OTHER'] }, b: integer }),
    value: { a: 'SPAM', b: 1 },
    note: 'the only value of an enumeration that a short text mentions',
  },
  {
    flag: 'used-default-value',
    text: '{}',
    schema: object({ a: { type: 'integer', default: 3 } }),
    value: { a: 3 },
    note: 'a missing field that has a default',
  },
  {
    flag: 'used-null-value',
    text: '{}',
    schema: object({ a: { type: ['integer', 'null'] } }),
    value: { a: null },
    note: 'a missing field that may be null',
  },
  {
    flag: 'used-empty-value',
    text: '{"a": 1}',
    schema: object({ a: integer, tags: list(text) }),
    value: { a: 1, tags: [] },
    note: 'a missing list or map, or a list of which no item fits',
  },
  {
    flag: 'used-source-text',
    text: '{"a": {"b": [1]}}',
    schema: object({ a: text }),
    value: { a: '{"b": [1]}' },
    note: 'an object or a list where a string is wanted: its text',
  },
  {
    flag: 'parsed-string',
    text: '{"a": "[1, 2]"}',
    schema: object({ a: list(integer) }),
    value: { a: [1, 2] },
    note: 'JSON inside a string, where more than a string is wanted',
  },
  {
    flag: 'wrapped-in-array',
    text: '{"a": "x, y"}',
    schema: object({ a: list(text) }),
    value: { a: ['x, y'] },
    note: 'one where a list is wanted',
  },
  {
    flag: 'wrapped-in-object',
    text: '{"a": 5}',
    schema: object({ a: object({ amount: integer }) }),
    value: { a: { amount: 5 } },
    note: 'a bare value where an object of one field is wanted',
  },
  {
    flag: 'unwrapped',
    text: '{"data": {"a": 1}}',
    schema: object({ a: integer }),
    value: { a: 1 },
    note: 'an object or list around the value',
  },
  {
    flag: 'chose-element',
    text: '{"a": ["x", 5]}',
    schema: object({ a: integer }),
    value: { a: 5 },
    note: 'a list where one is wanted: the element that fits best',
  },
  {
    flag: 'dropped-item',
    text: '[1, "x", 3]',
    schema: list(integer),
    value: [1, 3],
    note: 'an item of a list that cannot be what the items are',
  },
  {
    flag: 'dropped-field',
    text: '{"a": "x"}',
    schema: { type: 'object', properties: { a: integer } },
    value: {},
    note: 'an optional field that cannot be what it should be',
  },
  {
    flag: 'ignored-later-value',
    text: '{"a": 1} or rather {"a": 2}',
    schema: object({ a: integer }),
    value: { a: 1 },
    note: 'what came after the answer had been sent',
    early: true,
  },
  {
    flag: 'unchecked-pattern',
    text: '{"a": "x"}',
    schema: object({ a: { type: 'string', pattern: '(?<' } }),
    value: { a: 'x' },
    note: 'a pattern of the schema that could not be checked; nothing was changed',
  },
  {
    flag: 'more-changes',
    text: `[${'x,'.repeat(1001)}]`,
    value: Array.from({ length: 1001 }, () => 'x'),
    note: 'more than a thousand changes; the rest are counted',
  },
];
