// The policies of healing, one test each: how a text with more than one possible reading is read. Users rely on them,
// so a change here is a change of the product.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  flagTable,
  flagWeights,
  HealError,
  heal,
  healStream,
  healText,
  isGuess,
  type FlagKind,
  type HealOptions,
  type JsonSchema,
} from './index.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };

function object(properties: Readonly<Record<string, unknown>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function list(items: unknown): JsonSchema {
  return { type: 'array', items };
}

function orNull(schema: unknown): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

interface Expected {
  readonly value: unknown;
  /** All kinds of flags, in any order, without duplicates. Not checked if undefined. */
  readonly flags?: readonly FlagKind[];
}

/** Heals, compares the result, and returns the confidence. */
function check(input: string, schema: JsonSchema | undefined, expected: Expected, options?: HealOptions): number {
  const result = schema === undefined ? heal(input, undefined, options) : heal(input, schema, options);
  assert.deepEqual(result.value, expected.value, input);
  const kinds = [...new Set(result.flags.map((flag) => flag.kind))].toSorted();
  if (expected.flags !== undefined) assert.deepEqual(kinds, expected.flags.toSorted(), input);
  return result.confidence;
}

/** The error that healing throws. */
function rejection(input: string, schema?: JsonSchema, options?: HealOptions): HealError {
  try {
    const healed = schema === undefined ? heal(input, undefined, options) : heal(input, schema, options);
    assert.fail(`${input} was healed to ${JSON.stringify(healed.value)}`);
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return error;
  }
}

function value(input: string, schema?: JsonSchema): unknown {
  return schema === undefined ? heal(input).value : heal(input, schema).value;
}

/** Heavy flags are guesses. On the entire value they bring the confidence near the default minimum. */
function isHeavy(confidence: number): boolean {
  return confidence < 0.9;
}

describe('policy', () => {
  test('1: of several values, one after the thinking wins, then a fenced one, then the lowest cost, then the last', () => {
    const schema = object({ a: integer });
    assert.deepEqual(value('<think>{"a": 1}</think> {"a": 2}', schema), { a: 2 });
    assert.deepEqual(value('<think>```json\n{"a": 1}\n```</think> {"a": 2}', schema), { a: 2 });
    assert.deepEqual(value('{"a": 1} ```json\n{"a": 2}\n``` {"a": 3}', schema), { a: 2 });
    assert.deepEqual(value('{"a": 2} or {"a": "1"}', schema), { a: 2 });
    assert.deepEqual(value('{"a": 1} or {"a": 2}', schema), { a: 2 });
    check('{"a": 1} or {"a": 2}', schema, { value: { a: 2 }, flags: ['stripped-prose', 'chose-value'] });
  });

  test('1: a choice is flagged even if only one of the values matches', () => {
    const schema = object({ a: integer });
    const others = {
      'chose-value': ['{"a": "x"}', '{"A": []}', '[{"a": {}}]', '{"call": {"a": "x"}}', '[1]', '```\n{"a": "x"}\n```'],
      'stripped-value': ['{"b": 1}', '["x"]', '[]', '{key: value}', '```\n{"b": 1}\n```'],
    };
    for (const [expected, texts] of Object.entries(others)) {
      for (const input of texts.flatMap((other) => [`${other}\n{"a": 2}`, `{"a": 2}\n${other}`])) {
        const { value: chosen, flags } = heal(input, schema);
        assert.deepEqual(chosen, { a: 2 }, input);
        const found = flags.filter(({ kind }) => kind === 'chose-value' || kind === 'stripped-value');
        const count = expected === 'chose-value' ? 2 : 1;
        assert.deepEqual(found, [{ kind: expected, count, path: [] }], input);
        assert.equal(rejection(input, schema, { strict: true }).kind, 'strict');
      }
    }
    check('{"a": 2}\n["x"]\n{"a": 3}\n{"b": 1}', schema, {
      value: { a: 3 },
      flags: ['stripped-value', 'chose-value'],
    });
    check('{"a": 2}\n{"a": {"b"', schema, { value: { a: 2 }, flags: ['chose-value', 'closed-truncated'] });
  });

  test('1: a value that an array cannot collect is flagged', () => {
    const rows = list(object({ a: integer, b: integer }));
    const rest = {
      value: [
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ],
    };
    check('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n{"a": 5', rows, {
      ...rest,
      flags: ['collected-values', 'dropped-item', 'closed-truncated'],
    });
    check('{"c": 0}\n{"a": 1, "b": 2}\n{"a": 3, "b": 4}', rows, {
      ...rest,
      flags: ['collected-values', 'dropped-item'],
    });
  });

  test('1: an array collects several values; without a schema the last fenced one wins, else the largest', () => {
    const several = { value: [{ a: 1 }, { a: 2 }], flags: ['collected-values'] as const };
    check('{"a": 1}\n{"a": 2}', list(object({ a: integer })), several);
    assert.deepEqual(value('{"long": "value"} and {"b": 2}'), { long: 'value' });
    assert.deepEqual(value('{"b": 2} and {"long": "value"}'), { long: 'value' });
    assert.deepEqual(value('```json\n{"long": "value"}\n``` ```json\n{"b": 2}\n``` {"longer": "bare"}'), { b: 2 });
  });

  test('2: of two members with the same name the last one wins', () => {
    check('{"a": 1, "a": 2}', undefined, { value: { a: 2 }, flags: [] });
    check('{"a": 1, "a": 2,}', undefined, { value: { a: 2 }, flags: ['duplicate-key', 'fixed-trailing-comma'] });
    check('{"a": 1, "a": 2,}', object({ a: integer }), { value: { a: 2 } });
  });

  test('3: a key without a value is missing: default, null if allowed, else an error; null without a schema', () => {
    check('{"a":}', undefined, { value: { a: null }, flags: ['missing-value'] });
    check('{"a":, "b": 1}', undefined, { value: { a: null, b: 1 }, flags: ['missing-value'] });
    const filled = { value: { a: 7 }, flags: ['missing-value', 'used-default-value'] as const };
    check('{"a":}', object({ a: { type: 'integer', default: 7 } }), filled);
    const empty = { value: { a: null }, flags: ['missing-value', 'used-null-value'] as const };
    check('{"a":}', object({ a: orNull(integer) }), empty);
    check('{"a":}', { properties: { a: integer } }, { value: {}, flags: ['missing-value'] });
    const error = rejection('{"a":}', object({ a: integer }));
    assert.deepEqual([error.kind, error.path], ['missing-field', ['a']]);
  });

  test('4: an unfinished string or number at the end is kept, at a cost in confidence; strict rejects it', () => {
    for (const [input, expected] of [
      ['{"a": "hel', { a: 'hel' }],
      ['{"a": 12', { a: 12 }],
      ['[1, 2', [1, 2]],
      ['[{"a": "x"}, {"a": "y', [{ a: 'x' }, { a: 'y' }]],
    ] as const) {
      const confidence = check(input, undefined, { value: expected, flags: ['closed-truncated'] });
      // The weight counts in full, however little of the value was open.
      assert.equal(confidence, 1 - flagWeights['closed-truncated'], input);
      assert.ok(confidence >= 0.7, `${input} ${confidence}`);
      assert.equal(rejection(input, undefined, { strict: true }).kind, 'strict');
    }
    assert.deepEqual(value('{"a": "hel', object({ a: text })), { a: 'hel' });
  });

  test('4: a truncated value is less certain than one whose notation or type was corrected', () => {
    const corrections = (Object.keys(flagTable) as FlagKind[]).filter((kind) => !isGuess({ kind }));
    for (const kind of corrections) assert.ok(flagWeights[kind] < flagWeights['closed-truncated'], kind);
    const complete = heal("{'a': 'hello', b: True,}");
    assert.ok(heal('{"a": "hel').confidence < complete.confidence);
  });

  test('5: unfinished numbers, literals and enums are withheld while streaming; strings grow', () => {
    const stream = healStream(object({ n: integer, b: boolean, e: { enum: ['one', 'oneself'] }, s: text }));
    const seen = (chunk: string) => {
      stream.push(chunk);
      return stream.snapshot();
    };
    assert.deepEqual(seen('{"n": 12'), {});
    assert.deepEqual(seen('3, "b": tr'), { n: 123 });
    assert.deepEqual(seen('ue, "e": "one'), { n: 123, b: true });
    assert.deepEqual(seen('self", "s": "He'), { n: 123, b: true, e: 'oneself', s: 'He' });
    assert.deepEqual(seen('llo"}'), { n: 123, b: true, e: 'oneself', s: 'Hello' });
    assert.deepEqual(stream.end().flags, []);
  });

  test('6: an escape truncated by the end of the text is dropped', () => {
    for (const cut of ['\\', '\\u', '\\u00', '\\u00e']) assert.deepEqual(value(`{"a": "x${cut}`), { a: 'x' }, cut);
    assert.deepEqual(value('{"a": "x\\u00e9'), { a: 'xé' });
  });

  test('7: numbers as people write them; ambiguous ones are rejected', () => {
    const readings: readonly [string, JsonSchema, number][] = [
      ['1,234', integer, 1234],
      ['$1,234.50', number, 1234.5],
      ['50%', number, 50],
      ['3,14', number, 3.14],
      ['1/5', number, 0.2],
    ];
    for (const [written, schema, expected] of readings) {
      check(`{"a": "${written}"}`, object({ a: schema }), { value: { a: expected }, flags: ['type-coercion'] });
      const bare = heal(`{"a": ${written}, "b": 1}`, object({ a: schema, b: integer }));
      assert.deepEqual(bare.value, { a: expected, b: 1 }, written);
      assert.notDeepEqual(bare.flags, []);
    }
    for (const written of ['3,14', '1/5']) rejection(`{"a": "${written}"}`, object({ a: integer }));
    for (const written of ['1,23,456', '1.234.567', '1.234,5', '12 apples', '1 or 2', '5-6', '1/0']) {
      rejection(`{"a": "${written}"}`, object({ a: number }));
    }
  });

  test('8: integers: 5.0 is 5, 5.6 is rounded with a heavy flag, and lost precision is flagged', () => {
    assert.deepEqual(value('{"a": 5.0}', object({ a: integer })), { a: 5 });
    check('{"a": "5.0"}', object({ a: integer }), { value: { a: 5 }, flags: ['type-coercion'] });
    assert.ok(isHeavy(check('5.6', integer, { value: 6, flags: ['rounded-number'] })));
    const big = { type: 'integer', 'x-type': 'bigint' };
    check('{"a": 9007199254740993}', object({ a: big }), { value: { a: 9_007_199_254_740_993n }, flags: [] });
    check('9007199254740993', big, { value: 9_007_199_254_740_993n, flags: [] });
    const lost = { value: { a: 2 ** 53 }, flags: ['precision-lost'] as const };
    check('{"a": 9007199254740993}', object({ a: integer }), lost);
    check('9007199254740993', integer, { value: 2 ** 53, flags: ['precision-lost'] });
    for (const input of ['{"a": 1e400}', '{"a": "1e400"}']) rejection(input, object({ a: number }));
  });

  test('9: words for true, false and null', () => {
    for (const word of ['"yes"', '"ON"', '1', '"1"', '"true"', 'True'])
      assert.deepEqual(value(`[${word}]`, list(boolean)), [true]);
    for (const word of ['"no"', '"Off"', '0', '"0"', '"False"'])
      assert.deepEqual(value(`[${word}]`, list(boolean)), [false]);
    check('["yes"]', list(boolean), { value: [true], flags: ['type-coercion'] });
    rejection('{"a": "maybe"}', object({ a: boolean }));
    rejection('{"a": 2}', object({ a: boolean }));
    for (const word of ['null', 'None', 'N/A', '']) {
      check(`{"a": "${word}"}`, object({ a: orNull(integer) }), { value: { a: null }, flags: ['type-coercion'] });
      check(`{"a": "${word}"}`, object({ a: orNull(text) }), { value: { a: word }, flags: [] });
      rejection(`{"a": "${word}"}`, object({ a: integer }));
    }
  });

  test('10: in an object or array where a string is wanted, the only string is taken; anything else is an error', () => {
    check('{"a": {"b": "x"}}', object({ a: text }), { value: { a: 'x' }, flags: ['unwrapped'] });
    check('{"a": ["x"]}', object({ a: text }), { value: { a: 'x' }, flags: ['unwrapped'] });
    for (const inside of ['{"b": "x", "c": "y"}', '["x", "y"]', '{"b":  [1, 2.50]}', '{}', '[1]']) {
      const error = rejection(`{"a": ${inside}}`, object({ a: text }));
      assert.deepEqual([error.kind, error.path], ['no-value', ['a']], inside);
    }
    const code = '{title: string, count: number}';
    check(`{props: ${code}}`, object({ props: text }), {
      value: { props: code },
      flags: ['unquoted-key', 'unquoted-string', 'used-source-text'],
    });
  });

  test('10: the only string of a truncated object may not have been its only member', () => {
    const people = object({ names: list(text) });
    const first = '{"names": [{"name": "Ann", "age": 3}, ';
    for (const cut of ['{"name": "Bob"', '{"name": "Bo']) rejection(`${first}${cut}`, people);
    check('{"names": [{"name": "Ann"}, {"name": "Bob"', people, {
      value: { names: ['Ann'] },
      flags: ['unwrapped', 'dropped-item', 'closed-truncated'],
    });
  });

  test('11: a text with commas is one item; a JSON array inside a string is parsed', () => {
    check('{"a": "x, y"}', object({ a: list(text) }), { value: { a: ['x, y'] }, flags: ['wrapped-in-array'] });
    check('{"a": "[\\"x\\", \\"y\\"]"}', object({ a: list(text) }), {
      value: { a: ['x', 'y'] },
      flags: ['parsed-string'],
    });
    check('{"a": "[1, 2]"}', object({ a: list(integer) }), { value: { a: [1, 2] }, flags: ['parsed-string'] });
    check('{"a": "[1, 2]"}', object({ a: text }), { value: { a: '[1, 2]' }, flags: [] });
  });

  test('12: an array where one value is wanted: its only item, else the best one with a heavy flag', () => {
    check('{"a": [5]}', object({ a: integer }), { value: { a: 5 }, flags: ['unwrapped'] });
    check('[{"a": 5}]', object({ a: integer }), { value: { a: 5 }, flags: ['unwrapped'] });
    assert.ok(isHeavy(check('{"a": ["x", 5]}', object({ a: integer }), { value: { a: 5 }, flags: ['chose-element'] })));
    assert.ok(
      isHeavy(check('[{"a": "5"}, {"a": 6}]', object({ a: integer }), { value: { a: 6 }, flags: ['chose-element'] })),
    );
  });

  test('13: the exact key wins; of similar keys the first one, flagged', () => {
    const schema = object({ userName: text });
    check('{"User Name": "x", "userName": "y"}', schema, { value: { userName: 'y' }, flags: ['ambiguous-key'] });
    check('{"userName": "y", "User Name": "x"}', schema, { value: { userName: 'y' }, flags: ['ambiguous-key'] });
    const first = { value: { userName: 'x' }, flags: ['ambiguous-key', 'fuzzy-field-match'] as const };
    check('{"user_name": "x", "USER-NAME": "y"}', schema, first);
    const [flag] = heal('{"user_name": "x"}', schema).flags;
    assert.deepEqual(flag, {
      kind: 'fuzzy-field-match',
      path: ['user_name'],
      expected: 'userName',
      found: 'user_name',
    });
  });

  test('14: enums: exact, case, punctuation, alias, then a single mention; never a negated one, never two', () => {
    const colour = { enum: ['RED', 'DARK_GREEN'], 'x-enum-aliases': { RED: ['k1'] } };
    check('"RED"', colour, { value: 'RED', flags: [] });
    for (const word of ['red', 'Red', 'k1', '**RED**'])
      check(`"${word}"`, colour, { value: 'RED', flags: ['enum-match'] });
    check('"dark green"', colour, { value: 'DARK_GREEN', flags: ['enum-match'] });
    assert.ok(isHeavy(check('"I would say RED."', colour, { value: 'RED', flags: ['enum-mention'] })));
    for (const words of ['not red', 'red or dark green', 'reddish', 'blue', '']) rejection(`"${words}"`, colour);
    rejection('"not SPAM"', { enum: ['SPAM', 'HAM'] });
  });

  test('14: an enumeration of the choices is not an answer', () => {
    const label = { enum: ['BUG', 'FEATURE', 'QUESTION'] };
    for (const input of [
      '"BUG", "FEATURE", "QUESTION"',
      '"BUG" or "FEATURE"',
      'BUG | FEATURE | QUESTION',
      '"BUG"\n"FEATURE"',
      '"BUG" (not "FEATURE")',
    ]) {
      assert.match(rejection(input, label).message, /the text mentions both "BUG" and "FEATURE", and only one/);
    }
    for (const inside of [
      '"BUG" or "FEATURE"',
      '"BUG | FEATURE"',
      '"BUG", "FEATURE"',
      '{"enum": ["BUG", "FEATURE"]}',
    ]) {
      rejection(`{"label": ${inside}}`, object({ label }));
    }
    check('"BUG"\n\nThe app crashes.', label, { value: 'BUG', flags: ['stripped-prose'] });
  });

  test('14: a truth value is a mention, unless it is negated', () => {
    check('Answer: **True**', boolean, { value: true, flags: ['enum-mention', 'unquoted-string'] });
    for (const input of ['That is not true.', 'true or false', `${'A long story. '.repeat(20)} It is True.`]) {
      rejection(input, boolean);
    }
  });

  test('a repeated schema is not an answer', () => {
    const dish = object({ name: text, tags: list(text) });
    const rows = object({ rows: list(object({ name: text, amount: text })) });
    for (const [input, schema] of [
      ['{"type": "object", "properties": {"name": {"type": "string"}, "tags": {"type": "array"}}}', dish],
      ['{"name": {"type": "string"}, "tags": ["a"]}', dish],
      ['{"name": string, "tags": [string]}', dish],
      ['{"name": "a", "tags": [string]}', dish],
      ['{"rows": [{"name": string, "amount": string}]}', rows],
      ['{"name": "hot" or "cold", "tags": ["a"]}', dish],
    ] as const) {
      rejection(input, schema);
    }
    check('{name: id, type: string}', object({ name: text, type: text }), {
      value: { name: 'id', type: 'string' },
      flags: ['unquoted-key', 'unquoted-string'],
    });
    check('{"type": "object", "properties": {"name": "a", "tags": ["b"]}}', dish, {
      value: { name: 'a', tags: ['b'] },
      flags: ['dropped-field', 'unwrapped'],
    });
  });

  test('15: a wrapper is removed only if none of its own keys is wanted', () => {
    const schema = { ...object({ a: integer, b: integer }), title: 'Pair' };
    for (const name of ['data', 'Pair', 'result']) {
      check(`{"${name}": {"a": 1, "b": 2}}`, schema, { value: { a: 1, b: 2 }, flags: ['unwrapped'] });
    }
    rejection('{"a": 1, "data": {"a": 1, "b": 2}}', schema);
    const optional = { properties: { a: integer, data: object({ a: integer }) } };
    check('{"data": {"a": 1}}', optional, { value: { data: { a: 1 } }, flags: [] });
  });

  test('15: of several wrapped values one is chosen, and what is lost is flagged', () => {
    const schema = object({ a: integer });
    check('{"x": {"a": 1}, "y": {"a": 2}}', schema, { value: { a: 1 }, flags: ['chose-element', 'dropped-field'] });
    check('{"x": {"a": 1}, "y": 3}', schema, { value: { a: 1 }, flags: ['unwrapped', 'dropped-field'] });
  });

  test('15: an object without members, but with words in it, is unreadable, not empty', () => {
    const open = object({ a: { type: 'object', properties: {} } });
    for (const inside of ['{invalid json}', '{see above}']) rejection(`{"a": ${inside}}`, open);
    for (const inside of ['{}', '{ }', '{ /* none */ }', '{ // none\n}'])
      assert.deepEqual(value(`{"a": ${inside}}`, open), { a: {} });
  });

  test('16: a missing field: default, null, else an error with the path', () => {
    check('{}', object({ a: { type: 'integer', default: 3 } }), { value: { a: 3 }, flags: ['used-default-value'] });
    check('{}', object({ a: orNull(integer) }), { value: { a: null }, flags: ['used-null-value'] });
    const map = { type: 'object', additionalProperties: integer };
    for (const absent of [list(integer), map]) {
      const missing = rejection('{"b": 1}', object({ a: absent, b: integer }));
      assert.deepEqual([missing.kind, missing.path], ['missing-field', ['a']]);
    }
    const nested = object({ people: list(text), owner: object({ name: text }) });
    const error = rejection('{"people": [], "owner": {}}', nested);
    assert.deepEqual([error.kind, error.path], ['missing-field', ['owner', 'name']]);
    assert.match(error.message, /owner\.name/);
  });

  test('16: a value that cannot be read is not a missing one', () => {
    for (const wanted of [orNull(number), { type: 'number', default: 3 }, { enum: ['low', null] }]) {
      const error = rejection('{"a": "4.8 of five", "b": 1}', object({ a: wanted, b: integer }));
      assert.deepEqual([error.kind, error.path], ['no-value', ['a']]);
    }
    check('{"a": null}', object({ a: { type: 'number', default: 3 } }), {
      value: { a: 3 },
      flags: ['used-default-value'],
    });
  });

  test('16: every use of a default gets its own copy', () => {
    const schema = object({ a: { type: 'array', default: [] } });
    const { a } = value('{}', schema) as { a: unknown[] };
    a.push('changed');
    assert.deepEqual(value('{}', schema), { a: [] });
  });

  test('17: items that do not match are dropped with a flag and the path; strict rejects them', () => {
    const { value: numbers, flags } = heal('[1, "x", 3]', list(integer));
    assert.deepEqual(numbers, [1, 3]);
    assert.deepEqual(flags, [{ kind: 'dropped-item', path: [1] }]);
    assert.equal(rejection('[1, "x", 3]', list(integer), { strict: true }).kind, 'strict');
    const people = list(object({ name: text, age: integer }));
    const input = '[{"name": "Ann", "age": 1}, {"name": "Bob"}, {"name": "Cem", "age": 3}]';
    check(input, people, {
      value: [
        { name: 'Ann', age: 1 },
        { name: 'Cem', age: 3 },
      ],
      flags: ['dropped-item'],
    });
    const rows = list(object({ a: integer }));
    check('[{"a": 1}, {"b": 2}, {"a": 3}]', rows, { value: [{ a: 1 }, { a: 3 }], flags: ['dropped-item'] });
  });

  test('17: an array that loses all its items is an error', () => {
    for (const input of ['["x", "y"]', '{"x", "y"}', '["x', '[{"b": "x"}']) rejection(input, list(integer));
    const error = rejection('{"a": ["x", "y"]}', object({ a: list(integer) }));
    assert.deepEqual([error.kind, error.path], ['no-value', ['a', 0]]);
    check('[]', list(integer), { value: [], flags: [] });
    check('[', list(integer), { value: [], flags: ['closed-truncated'] });
  });

  test('17: an object that loses all its members is an error', () => {
    const map = { type: 'object', additionalProperties: integer };
    check('{"a": 1, "b": "x"}', map, { value: { a: 1 }, flags: ['dropped-value'] });
    rejection('{"a": "x", "b": "y"}', map);
    rejection('{"a": "x"}', { type: 'object', properties: { a: integer } });
    check('{}', map, { value: {}, flags: [] });
  });

  test('18: invalid escapes keep the character, unusual numbers are read, and words for no number become null or fail', () => {
    check('{"a": "\\d \\q"}', undefined, { value: { a: 'd q' }, flags: ['fixed-escape'] });
    check('[007, +1]', undefined, { value: [7, 1], flags: ['fixed-number'] });
    for (const input of ['007', '+1', '.5']) check(input, undefined, { value: Number(input), flags: ['fixed-number'] });
    for (const word of ['NaN', 'Infinity', '-Infinity']) {
      check(`[${word}]`, undefined, { value: [null], flags: ['fixed-literal'] });
      check(`{"a": ${word}}`, object({ a: orNull(number) }), { value: { a: null }, flags: ['fixed-literal'] });
      rejection(`{"a": ${word}}`, object({ a: number }));
    }
  });

  test('19: an inch mark does not end an item', () => {
    check('["samsung 32" display"]', undefined, { value: ['samsung 32" display'], flags: ['fixed-inner-quotes'] });
    assert.deepEqual(value('["samsung 32" display", "lg 27" monitor"]'), ['samsung 32" display', 'lg 27" monitor']);
    assert.deepEqual(value('{"a": ["samsung 32" display"], "b": 1}'), { a: ['samsung 32" display'], b: 1 });
  });

  test('20: unknown keys follow the schema, dangerous names are data, every character survives', () => {
    const schema = object({ a: integer });
    const dropped = check('{"a": 1, "z": 2}', schema, { value: { a: 1 }, flags: ['dropped-field'] });
    assert.equal(dropped, 1);
    assert.deepEqual(heal('{"a": 1, "z": 2}', schema, { strict: true }).value, { a: 1 });
    check('{"a": 1, "z": 2}', { ...schema, additionalProperties: true }, { value: { a: 1, z: 2 }, flags: [] });
    const open = { ...schema, additionalProperties: integer };
    check('{"a": 1, "z": "2"}', open, { value: { a: 1, z: 2 }, flags: ['type-coercion'] });
    const dangerous = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": 2}, "prototype": 3,}';
    for (const result of [heal(dangerous), heal(dangerous, { type: 'object', additionalProperties: true })]) {
      assert.deepEqual(Object.keys(result.value as object), ['__proto__', 'constructor', 'prototype']);
      assert.equal(Object.getPrototypeOf(result.value), Object.prototype);
    }
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    assert.deepEqual(value('{"a": "\ud800 \u0000 \\ud800 \\u0000",}'), { a: '\ud800 \u0000 \ud800 \u0000' });
  });
});

describe('accepts', () => {
  const accepted: readonly [string, string, unknown, JsonSchema?][] = [
    ['a fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['a fence that is not closed', '```json\n{"a": 1}', { a: 1 }],
    ['a fence without a language', '```\n{"a": 1}\n```', { a: 1 }],
    ['a fence on one line', '```json {"a": 1}```', { a: 1 }],
    ['a fence of four backticks', '````json\n{"a": 1}\n````', { a: 1 }],
    ['several fences', '```json\n{"a": 1}\n```\ntext\n```json\n{"b": 2}\n```', { b: 2 }],
    ['a fence inside a string', '{"a": "```js\\nx({})\\n```",}', { a: '```js\nx({})\n```' }],
    ['prose with stray brackets', 'Use [this] and {that}: {"a": 1} (see [1], {x}).', { a: 1 }],
    ['thinking with a decoy', '<think>{"a": 0}</think>{"a": 1}', { a: 1 }],
    ['thinking without an opening tag', '{"a": 0}</think>{"a": 1}', { a: 1 }],
    ['a trailing comma', '{"a": [1, 2,],}', { a: [1, 2] }],
    ['a leading comma', '{,"a": [,1]}', { a: [1] }],
    ['a double comma', '{"a": [1,,2],, "b": 3}', { a: [1, 2], b: 3 }],
    ['single quotes', "{'a': 'it\\'s', 'b': 'it's'}", { a: "it's", b: "it's" }],
    ['backticks', '{`a`: `b`}', { a: 'b' }],
    ['triple quotes', '{"a": """x "y"\nz"""}', { a: 'x "y"\nz' }],
    ['smart quotes', '{“a”: “b”, ‘c’: ‘d’}', { a: 'b', c: 'd' }],
    ['unquoted keys and values', '{a: hello, b: two words, c: 1}', { a: 'hello', b: 'two words', c: 1 }],
    [
      'comments',
      '{"a": 1, // one\n/* two */ "b": "x" # three\n, "c": "y", # four\n "d": 4}',
      { a: 1, b: 'x', c: 'y', d: 4 },
    ],
    ['Python output', "{'a': True, 'b': None, 'c': (1, 2), 'd': False}", { a: true, b: null, c: [1, 2], d: false }],
    ['a Python tuple', '("a", 1)', ['a', 1]],
    ['JavaScript output', '{a: undefined, b: NaN}', { a: null, b: null }],
    ['raw line breaks and tabs', '{"a": "x\n\ty"}', { a: 'x\n\ty' }],
    ['unescaped inner quotes', '{"a": "he said "hi" to me"}', { a: 'he said "hi" to me' }],
    ['unescaped inner quotes before commas', '{"a": "x "y", z", "b": 1}', { a: 'x "y", z', b: 1 }],
    ['missing commas', '{"a": 1 "b": [1 2 "x" "y"]\n"c": 3}', { a: 1, b: [1, 2, 'x', 'y'], c: 3 }],
    ['missing colons', '{"a" 1, "b" "x"}', { a: 1, b: 'x' }],
    ['a semicolon instead of a colon', '{"x": "v", "a"; 1, "b"; "w", "c": 2}', { x: 'v', a: 1, b: 'w', c: 2 }],
    ['a semicolon instead of a colon after unquoted keys', "{x: 'v', a; [1], b: 2}", { x: 'v', a: [1], b: 2 }],
    ['a semicolon in a key', '{"say "hi"; then": 1}', { 'say "hi"; then': 1 }],
    [
      'a semicolon between quotations',
      '{"t": "he said "x", "y"; 5 more", "u": 1}',
      { t: 'he said "x", "y"; 5 more', u: 1 },
    ],
    ['other characters for colon and comma', '{"a" = 1; "b" => 2; "c": [1; 2]}', { a: 1, b: 2, c: [1, 2] }],
    ['mismatched closing brackets', '{"a": [1, 2}, "b": {"c": 3]}', { a: [1, 2], b: { c: 3 } }],
    ['missing closing brackets', '{"a": [1, 2, "b": 3}', { a: [1, 2], b: 3 }],
    ['extra closing brackets', '{"a": [1]]}}', { a: [1] }],
    ['invalid escapes', '{"a": "50\\% \\x41"}', { a: '50% A' }],
    ['unicode escapes beside other damage', "{'a': 'caf\\u00e9 \\ud83d\\ude00',}", { a: 'café 😀' }],
    ['JSON encoded twice', '"{\\"a\\": 1}"', { a: 1 }, object({ a: integer })],
    ['a text with escaped quotes', '{\\"a\\": \\"x \\\\\\"y\\\\\\"\\"}', { a: 'x "y"' }],
    ['string concatenation', '{"a": "x" + "y"}', { a: 'xy' }],
    ['string concatenation at the top level', '"x" + "y"', 'xy'],
    ['ellipses', '{"a": [1, ...], "b": [2, …], ...}', { a: [1], b: [2] }],
    ['unusual white space', '\ufeff{\u00a0"a"\u2003:\u30001}', { a: 1 }],
    ['JSONP', 'callback({"a": 1});', { a: 1 }],
    ['JSONP around a scalar', 'callback_1(2);', 2],
    ['an assignment', 'const x = {"a": 1};', { a: 1 }],
    ['consecutive values', '{"a": 1}\n{"a": 2}\n', [{ a: 1 }, { a: 2 }], list(object({ a: integer }))],
    ['parentheses around one value', '{"a": (1), "b": ("x"), "c": (2,)}', { a: 1, b: 'x', c: [2] }],
    ['an unfinished number in an array', '[1, -, 2]', [1, 2]],
    ['a colon without key and value', '{:, "a": 1}', { a: 1 }],
    ['a missing opening quote', '{"a": [x", b"], b": "y"}', { a: ['x', 'b'], b: 'y' }],
    ['an array that continues where a key is expected', '{"a": ["x"], ["y"], "b": 1}', { a: ['x', 'y'], b: 1 }],
    ['an array of arrays that continues', '{"a": [[1]], [2]], "b": 1}', { a: [[1], [2]], b: 1 }],
    ['a missing opening bracket', '{"a": [[1], "x", "y"], ["z"]]}', { a: [[1], ['x', 'y'], ['z']] }],
    ['an object closed too early, and a missing colon', '{"a": "x"}, "b" "y"}', { a: 'x', b: 'y' }],
    ['doubled quotes', '{""a"": ""+1"", ""b"": """", ""c"": [""x""]}', { a: '+1', b: '', c: ['x'] }],
    ['a doubled opening quote', '{"a": ""x"}', { a: 'x' }],
    ['a set', '{"a": {"x", "y"}, "b": {1, 2}}', { a: ['x', 'y'], b: [1, 2] }],
    ['a set where an object is wanted', '{"x", "y"}', { x: null, y: null }, { type: 'object' }],
    ['words after a string, up to the end', '{"a": "x,x," tail', { a: 'x,x,' }],
    ['a script comment on one line', '{"a": {"b": "x" # y }, "c": "z"}', { a: { b: 'x' }, c: 'z' }],
    ['a text with an unmatched quote', 'abc"', 'abc'],
    ['a text in mismatched quotes', "`abc'", 'abc'],
    ['a text in a call', 'NumberLong("2")', '2'],
    ['literals without commas', '[true false 0x1F 2]', [true, false, 31, 2]],
    ['unquoted keys without commas', '{a: 1 b: true c: 2}', { a: 1, b: true, c: 2 }],
    [
      'long items without commas',
      `["${'x y '.repeat(70)}""${'z '.repeat(150)}"]`,
      ['x y '.repeat(70), 'z '.repeat(150)],
    ],
    [
      'a key without its closing quote before a long array',
      `{"a:[${'10,'.repeat(99)}1],"b":2}`,
      { a: [...Array.from({ length: 99 }, () => 10), 1], b: 2 },
    ],
    ['a key without its closing quote, and an arrow', '{"a => "x", "b" => "y"}', { a: 'x', b: 'y' }],
    ['a key without its opening quote, in any quotes', "{'a': 'x', b': 'y'}", { a: 'x', b: 'y' }],
    ['emphasised keys without commas', '{**"a"**: "x"\n**"b"**: "y"}', { a: 'x', b: 'y' }],
    ['escaped line breaks after a word', '{a: LEAF\\n}', { a: 'LEAF' }],
    ['a literal of Python that was cut off', "{'a': Fal", { a: false }],
    ['a tuple of objects', '({"a": 1}, {"a": 2})', [{ a: 1 }, { a: 2 }]],
    ['parentheses around everything', '([{"a": 1}])', [{ a: 1 }]],
    ['a wrong closing quote before other brackets', '[{"a": "x”}, {"a": "y"}]', [{ a: 'x' }, { a: 'y' }]],
    ['a wrong closing quote before a trailing comma', '{"a": "x`,}', { a: 'x' }],
    ['a wrong closing quote before unquoted keys', '{a: "x”, b: [1]}', { a: 'x', b: [1] }],
    ['a missing closing quote, if opening and closing quotes differ', '[«a, «b»]', ['a', 'b']],
    ['doubled braces', '{{"a": {{"b": 1}}, "c": [{{"d": 2}}]}}', { a: { b: 1 }, c: [{ d: 2 }] }],
    ['an extra brace', '{"a": {{"b": 1}, "c": 2}', { a: { b: 1 }, c: 2 }],
    ['an ellipsis as a value', '{"a": ..., "b": 1}', { a: null, b: 1 }],
    [
      'a missing bracket between arrays, found by the schema',
      '{"a": [[1, 2, [3, 4], [5]], "b": 6}',
      { a: [[1, 2], [3, 4], [5]], b: 6 },
      object({ a: list(list(integer)), b: integer }),
    ],
    [
      'a missing bracket in an array, found by the keys of its other objects',
      '{"a": [{"b": 1}, {"b": 2], "c": 3}',
      { a: [{ b: 1 }, { b: 2 }], c: 3 },
    ],
    [
      'a bracket of the wrong kind, found by the items of its array',
      '{"a": [[1, 2}, [3]], "b": 4}',
      { a: [[1, 2], [3]], b: 4 },
    ],
    ['lines of keys and values', 'a: 1\nb: hello there', { a: 1, b: 'hello there' }, object({ a: integer, b: text })],
  ];
  for (const [what, input, expected, schema] of accepted) {
    test(what, () => {
      const result = schema === undefined ? heal(input) : heal(input, schema);
      assert.deepEqual(result.value, expected);
      assert.notDeepEqual(result.flags, []);
      assert.ok(result.confidence < 1);
    });
  }

  test('an object inside a string, as a guess', () => {
    const { value: guess, confidence } = heal('{"x": "a, {"k": 1}, "y": 2}', undefined, { minConfidence: 0 });
    assert.deepEqual(guess, { x: 'a, {"k": 1}', y: 2 });
    assert.ok(confidence < 0.7);
  });

  test('truncation anywhere: complete parts are kept', () => {
    const whole = '{"name": "Ann", "tags": ["a", "b"], "pet": {"kind": "cat", "age": 3}, "ok": true}';
    for (let end = 1; end < whole.length; end++) {
      const { value: cut } = heal(whole.slice(0, end), undefined, { minConfidence: 0 });
      const { name, tags } = cut as { name?: unknown; tags?: unknown };
      if (end > 15) assert.equal(name, 'Ann', whole.slice(0, end));
      if (end > 35) assert.deepEqual(tags, ['a', 'b'], whole.slice(0, end));
    }
  });
});

describe('problems reported for other libraries', () => {
  test('quotes near commas in long prose', () => {
    const story = 'She said "no", then "yes", and left. "Why?", he asked, "now", "here"';
    assert.deepEqual(value(`{"title": "A "quoted", title", "story": "${story}.", "n": 1}`), {
      title: 'A "quoted", title',
      story: `${story}.`,
      n: 1,
    });
  });

  test('brackets in prose and thinking do not hide the value', () => {
    const input =
      '<think>\nMaybe {"answer": "wrong"} or [1, 2]?\n</think>\nI use {braces} and [x]: {"answer": "right"} {done}';
    assert.deepEqual(value(input), { answer: 'right' });
    assert.deepEqual(value(input, object({ answer: text })), { answer: 'right' });
  });

  test('a union branch is chosen by content, not by position', () => {
    const shapes = {
      anyOf: [
        object({ kind: { const: 'circle' }, size: number }),
        object({ kind: { const: 'square' }, size: number }),
        object({ kind: { const: 'text' }, content: text }),
      ],
    };
    assert.deepEqual(value('{"kind": "square", "size": "2"}', shapes), { kind: 'square', size: 2 });
    assert.deepEqual(value('{"size": 2, "kind": "Circle"}', shapes), { kind: 'circle', size: 2 });
    assert.deepEqual(value('{"content": "x", "kind": "text", "size": 1}', shapes), { kind: 'text', content: 'x' });
    const fields = { anyOf: [object({ a: integer }), object({ a: integer, b: integer }), object({ c: text })] };
    assert.deepEqual(value('{"a": 1, "b": 2}', fields), { a: 1, b: 2 });
    assert.deepEqual(value('{"c": 5}', fields), { c: '5' });
    assert.deepEqual(value('[1, "2"]', list({ anyOf: [text, integer] })), [1, '2']);
  });

  test('values in the thinking are not shown while streaming', () => {
    const stream = healStream();
    stream.push('<think>{"a": 1}, or {"a": ');
    assert.equal(stream.partial, undefined);
    stream.push('2}</think>{"a": 3');
    assert.deepEqual(stream.partial, {});
    stream.push('}');
    assert.deepEqual(stream.partial, { a: 3 });
  });

  test('partial values show no internals of the parser', () => {
    const input = '```json\n{"items": [{"id": 1, "na\\u006de": "x \\n y"}, {"id": 2';
    for (const schema of [undefined, object({ items: list(object({ id: integer, name: text })) })]) {
      const stream = schema === undefined ? healStream() : healStream(schema);
      for (const character of input) {
        stream.push(character);
        const shown = JSON.stringify(stream.partial) ?? '';
        assert.ok(!/```|json|\\\\|u006/.test(shown), shown);
      }
    }
  });

  test('fences inside strings of valid JSON are unchanged', () => {
    const valid = JSON.stringify({ code: '```json\n{"a": 1}\n```', more: 'x ``` y', think: '</think>{"b": 2}' });
    check(valid, undefined, { value: JSON.parse(valid) as unknown, flags: [] });
    check(`Here: ${valid}`, undefined, { value: JSON.parse(valid) as unknown, flags: ['stripped-prose'] });
    check(`\`\`\`json\n${valid}\n\`\`\``, undefined, {
      value: JSON.parse(valid) as unknown,
      flags: ['stripped-markdown'],
    });
  });

  test('flags say what was changed, and where', () => {
    const schema = object({ items: list(object({ id: integer, name: text })) });
    const { flags } = heal('{"items": [{"id": "1", "Name": "x"},]}', schema);
    assert.deepEqual(
      flags.map(({ kind, path }) => [kind, path]),
      [
        ['type-coercion', ['items', 0, 'id']],
        ['fuzzy-field-match', ['items', 0, 'Name']],
        ['fixed-trailing-comma', ['items', 1]],
      ],
    );
  });
});

describe('options', () => {
  test('strict rejects any change and names it', () => {
    const error = rejection('{"a": 1,}', undefined, { strict: true });
    assert.equal(error.kind, 'strict');
    assert.match(error.message, /fixed-trailing-comma/);
    assert.deepEqual(error.value, { a: 1 });
    assert.deepEqual(heal('{"a": 1}', undefined, { strict: true }).value, { a: 1 });
  });

  test('below minConfidence an error carries the value', () => {
    const error = rejection('{"a": 5.6}', object({ a: integer }), { minConfidence: 0.99 });
    assert.equal(error.kind, 'low-confidence');
    assert.deepEqual(error.value, { a: 6 });
    assert.deepEqual(
      error.flags.map((flag) => flag.kind),
      ['rounded-number'],
    );
    assert.ok(error.confidence > 0 && error.confidence < 0.99);
    check('{"a": 5.6}', object({ a: integer }), { value: { a: 6 } }, { minConfidence: 0 });
  });

  test('coerceTypes: false fixes notation only', () => {
    const options = { coerceTypes: false };
    check('{"a": 1,}', object({ a: integer }), { value: { a: 1 }, flags: ['fixed-trailing-comma'] }, options);
    for (const [input, schema] of [
      ['{"a": "1"}', object({ a: integer })],
      ['{"a": 1}', object({ a: text })],
      ['{"a": 5.6}', object({ a: integer })],
      ['{"a": 1}', object({ a: list(integer) })],
      ['{"data": {"a": 1}}', object({ a: integer })],
      ['{"a": "yes"}', object({ a: boolean })],
      ['{"a": "red"}', object({ a: { enum: ['RED'] } })],
    ] as const) {
      rejection(input, schema, options);
    }
  });

  test('maxBytes and maxDepth limit the text and the value', () => {
    assert.equal(rejection('[1, 2, 3]', undefined, { maxBytes: 5 }).kind, 'too-large');
    assert.equal(rejection('[1, 2, 3,]', undefined, { maxBytes: 5 }).kind, 'too-large');
    const nested = { anyOf: [{ type: 'integer' }, { type: 'array', items: { $ref: '#' } }] };
    assert.equal(rejection(`${'['.repeat(20)}1${']'.repeat(20)}`, nested, { maxDepth: 10 }).kind, 'too-deep');
    assert.equal(rejection('['.repeat(20_000), nested).kind, 'too-deep');
    assert.ok(heal('['.repeat(20_000), undefined, { minConfidence: 0 }).flags.length > 0);
    assert.equal(rejection('['.repeat(200_000), undefined).kind, 'too-deep');
    assert.equal(rejection('[[[1,]]]', undefined, { maxDepth: 2 }).kind, 'too-deep');
  });

  test('a flag on a key has the path of the object, not of the previous member', () => {
    const { flags } = heal('{"in": {a: 1, b: 2,}, c: 3}');
    assert.deepEqual(
      flags.map(({ kind, path }) => [kind, path]),
      [
        ['unquoted-key', ['in']],
        ['unquoted-key', ['in']],
        ['fixed-trailing-comma', ['in']],
        ['unquoted-key', []],
      ],
    );
  });

  test('a text without a value is rejected', () => {
    for (const input of ['', ' \n', '```json\n```', '<think>hm</think>'])
      assert.equal(rejection(input).kind, 'no-value', input);
    assert.equal(rejection('I cannot help with that.', object({ a: integer })).kind, 'no-value');
  });
});

function send(
  chunks: readonly string[],
  schema: JsonSchema,
): { sent: string[]; end: ReturnType<ReturnType<typeof healText>['end']> } {
  const writer = healText(schema);
  const sent = chunks.map((chunk) => writer.push(chunk));
  const end = writer.end();
  return { sent: [...sent, end.text], end };
}

describe('healText', () => {
  test('sends what is certain as soon as possible', () => {
    const { sent, end } = send(['{"na', 'me": "An', 'n", "age": "3', '1"}'], object({ name: text, age: integer }));
    assert.deepEqual(sent.slice(0, 3), ['', '{"name":"An', 'n"']);
    assert.equal(sent.join(''), '{"name":"Ann","age":31}');
    assert.deepEqual(end.value, { name: 'Ann', age: 31 });
  });

  test('the first value after the thinking is chosen; later ones are flagged', () => {
    const { sent, end } = send(['<think>{"a": 0}</think>', '{"a": 1}', ' or {"a": 2}'], object({ a: integer }));
    assert.equal(sent.join(''), '{"a":1}');
    assert.deepEqual(end.flags.at(-1), { kind: 'ignored-later-value', path: [], count: 1 });
  });

  test('the first of two members with the same name wins, in any spelling', () => {
    for (const input of ['{"a": 1, "a": 2}', '{"A": 1, "a": 2}']) {
      const { end } = send([input.slice(0, 8), input.slice(8)], object({ a: integer }));
      assert.deepEqual(end.value, { a: 1 });
      assert.ok(
        end.flags.some((flag) => flag.kind === 'ignored-later-value'),
        JSON.stringify(end.flags),
      );
    }
  });

  test('a union branch and a wrapper are withheld until they are decided', () => {
    const shapes = { anyOf: [object({ kind: { const: 'a' }, x: text }), object({ kind: { const: 'b' }, x: integer })] };
    const { sent } = send(['{"x": "1', '", "kind": "b"', '}'], shapes);
    assert.equal(sent[0], '');
    assert.equal(sent.join(''), '{"x":1,"kind":"b"}');
    const wrapped = send(['{"data": {"a"', ': 1}}'], object({ a: integer }));
    assert.equal(wrapped.sent.join(''), '{"a":1}');
  });

  test('throws if the value cannot be completed after text was sent', () => {
    const writer = healText(object({ name: text, age: integer }));
    assert.match(writer.push('{"name": "Ann"'), /^{"name":"Ann/);
    writer.push(', "age": "unknown"}');
    assert.throws(() => writer.end(), HealError);
  });
});
