// One example for each flag: text, schema and healed value. Tests check them, and docs/healing.md shows them.

import type { FlagKind, JsonSchema } from '../../src/heal/index.ts';

export interface FlagExample {
  readonly flag: FlagKind;
  readonly text: string;
  readonly schema?: JsonSchema;
  readonly value: unknown;
  readonly note: string;
  /** The value is refused by default, because the change is a guess. */
  readonly refused?: true;
  /** Only `healText` sets this flag. */
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
    note: 'text around the value',
  },
  {
    flag: 'stripped-think',
    text: '<think>one? {"a": 0}</think>{"a": 1}',
    value: { a: 1 },
    note: 'reasoning before the value',
  },
  {
    flag: 'stripped-wrapper',
    text: '{"id": ObjectId("507f")}',
    value: { id: '507f' },
    note: 'a function call around a value',
  },
  {
    flag: 'stripped-comment',
    text: '{"a": 1 /* one */}',
    value: { a: 1 },
    note: 'a comment: `/* */`, `//` or `#`',
  },
  {
    flag: 'stripped-ellipsis',
    text: '[1, 2, ...]',
    value: [1, 2],
    note: 'an ellipsis for omitted items',
  },
  {
    flag: 'stripped-value',
    text: '{"status": "done"}\n{"a": 2}',
    schema: object({ a: integer }),
    value: { a: 2 },
    note: 'another value that cannot match the schema',
  },
  {
    flag: 'chose-value',
    text: '{"a": 1} and {"a": 2}',
    schema: object({ a: integer }),
    value: { a: 2 },
    note: 'one of several values that could be meant was chosen',
  },
  {
    flag: 'collected-values',
    text: '{"a": 1}\n{"a": 2}',
    schema: list(object({ a: integer })),
    value: [{ a: 1 }, { a: 2 }],
    note: 'several values where a list is expected',
  },
  { flag: 'fixed-trailing-comma', text: '[1, 2,]', value: [1, 2], note: 'a trailing comma' },
  { flag: 'fixed-leading-comma', text: '[, 1]', value: [1], note: 'a leading comma' },
  {
    flag: 'fixed-quotes',
    text: "{'a': 'b'}",
    value: { a: 'b' },
    note: 'single, smart, backtick or triple quotes',
  },
  {
    flag: 'fixed-inner-quotes',
    text: '{"a": "he said "hi" to me"}',
    value: { a: 'he said "hi" to me' },
    note: 'unescaped quotes inside a string',
  },
  {
    flag: 'fixed-escape',
    text: '{"a": "50\\% off"}',
    value: { a: '50% off' },
    note: 'an escape that JSON does not have',
  },
  {
    flag: 'fixed-control-character',
    text: '{"a": "two\nlines"}',
    value: { a: 'two\nlines' },
    note: 'a line break or tab in a string',
  },
  { flag: 'fixed-literal', text: '{"a": True}', value: { a: true }, note: 'a Python or JavaScript literal' },
  { flag: 'fixed-number', text: '{"a": +01}', value: { a: 1 }, note: 'a number in a notation that JSON does not have' },
  { flag: 'fixed-whitespace', text: '{"a":\u00a01}', value: { a: 1 }, note: 'whitespace that JSON does not have' },
  { flag: 'fixed-colon', text: '{"a" = 1}', value: { a: 1 }, note: 'another character for the colon, or none' },
  { flag: 'fixed-separator', text: '{"a": 1; "b": 2}', value: { a: 1, b: 2 }, note: 'a semicolon instead of a comma' },
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
  { flag: 'joined-strings', text: '["x" + "y"]', value: ['xy'], note: 'strings joined with `+`' },
  { flag: 'inserted-comma', text: '{"a": 1 "b": 2}', value: { a: 1, b: 2 }, note: 'a missing comma' },
  {
    flag: 'inserted-quote',
    text: '{"a": "x, "b": 1}',
    value: { a: 'x', b: 1 },
    note: 'a missing end quote',
  },
  {
    flag: 'inserted-brackets',
    text: '[{"a": {"b": 1}, {"a": 2}]',
    value: [{ a: { b: 1 } }, { a: 2 }],
    note: 'a missing closing bracket inside the value',
  },
  { flag: 'dropped-text', text: '{"a": 1, oops then}', value: { a: 1 }, note: 'text that is not a member' },
  { flag: 'dropped-bracket', text: '{{"a": 1}', value: { a: 1 }, note: 'an extra bracket' },
  {
    flag: 'guessed-structure',
    text: '{"a": [1, {"b": 2], "c": 3}',
    value: { a: [1, { b: 2 }], c: 3 },
    note: 'brackets that could be fixed in more than one way',
    refused: true,
  },
  { flag: 'duplicate-key', text: '{"a": 1, "a": 2,}', value: { a: 2 }, note: 'a repeated key; the last one wins' },
  { flag: 'missing-value', text: '{"a": , "b": 1}', value: { a: null, b: 1 }, note: 'a key without a value' },
  {
    flag: 'closed-truncated',
    text: '{"a": [1, 2',
    value: { a: [1, 2] },
    note: 'the text ended before the value',
  },
  {
    flag: 'precision-lost',
    text: '{"a": 9007199254740993,}',
    value: { a: 9_007_199_254_740_992 },
    note: 'an integer beyond the exact range of a number',
  },
  {
    flag: 'fuzzy-field-match',
    text: '{"User Name": "Ann"}',
    schema: object({ userName: text }),
    value: { userName: 'Ann' },
    note: 'a key matched by alias, case or separators',
  },
  {
    flag: 'ambiguous-key',
    text: '{"user_name": "Ann", "USER-NAME": "Bob"}',
    schema: object({ userName: text }),
    value: { userName: 'Ann' },
    note: 'two keys for one field; the first one wins',
  },
  {
    flag: 'type-coercion',
    text: '{"a": "$1,234.50"}',
    schema: object({ a: number }),
    value: { a: 1234.5 },
    note: 'a value converted to the expected type',
  },
  {
    flag: 'rounded-number',
    text: '{"a": 5.6}',
    schema: object({ a: integer }),
    value: { a: 6 },
    note: 'a fraction where an integer is expected',
  },
  {
    flag: 'enum-match',
    text: '{"a": "not spam"}',
    schema: object({ a: { enum: ['SPAM', 'NOT_SPAM'] } }),
    value: { a: 'NOT_SPAM' },
    note: 'an enum value matched by spelling or alias',
  },
  {
    flag: 'enum-mention',
    text: '{"a": "I am sure it is spam", "b": 1}',
    schema: object({ a: { enum: ['SPAM', 'OTHER'] }, b: integer }),
    value: { a: 'SPAM', b: 1 },
    note: 'the only enum value that a short text mentions',
  },
  {
    flag: 'used-default-value',
    text: '{}',
    schema: object({ a: { type: 'integer', default: 3 } }),
    value: { a: 3 },
    note: 'a missing field with a default',
  },
  {
    flag: 'used-null-value',
    text: '{}',
    schema: object({ a: { type: ['integer', 'null'] } }),
    value: { a: null },
    note: 'a missing field that may be null',
  },
  {
    flag: 'used-source-text',
    text: '{props: {title: string, count: number}}',
    schema: object({ props: text }),
    value: { props: '{title: string, count: number}' },
    note: 'unquoted text with brackets where a string is expected',
  },
  {
    flag: 'parsed-string',
    text: '{"a": "[1, 2]"}',
    schema: object({ a: list(integer) }),
    value: { a: [1, 2] },
    note: 'JSON inside a string',
  },
  {
    flag: 'wrapped-in-array',
    text: '{"a": "x, y"}',
    schema: object({ a: list(text) }),
    value: { a: ['x, y'] },
    note: 'a single value where a list is expected',
  },
  {
    flag: 'wrapped-in-object',
    text: '{"a": 5}',
    schema: object({ a: object({ amount: integer }) }),
    value: { a: { amount: 5 } },
    note: 'a bare value where an object with one field is expected',
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
    note: 'a list where one value is expected: the best match',
  },
  {
    flag: 'dropped-item',
    text: '[1, "x", 3]',
    schema: list(integer),
    value: [1, 3],
    note: 'a list item that does not fit its schema',
  },
  {
    flag: 'dropped-value',
    text: '{"a": "x", "b": 2}',
    schema: { type: 'object', properties: { a: integer, b: integer } },
    value: { b: 2 },
    note: 'the value of an optional field that does not fit its schema',
  },
  {
    flag: 'dropped-field',
    text: '{"a": 1, "b": 2}',
    schema: object({ a: integer }),
    value: { a: 1 },
    note: 'a field that the schema does not have',
  },
  {
    flag: 'ignored-later-value',
    text: '{"a": 1} or rather {"a": 2}',
    schema: object({ a: integer }),
    value: { a: 1 },
    note: 'a later value, after the first was sent',
    early: true,
  },
  {
    flag: 'unchecked-pattern',
    text: '{"a": "x"}',
    schema: object({ a: { type: 'string', pattern: '(?<' } }),
    value: { a: 'x' },
    note: 'a schema pattern that could not be checked; nothing was changed',
  },
  {
    flag: 'more-changes',
    text: `[${'x,'.repeat(1001)}]`,
    value: Array.from({ length: 1001 }, () => 'x'),
    note: 'more than 1,000 changes; the rest are counted',
  },
];
