// Damage: every kind breaks JSON of every style deterministically, accepts any text, and lists the accepted values.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { JsonSchema, JsonValue } from '../../core/json.ts';
import {
  damageDocument,
  damageKinds,
  damageNames,
  damageText,
  damageOf,
  styles,
  type DamageKind,
  type DamageName,
} from './damage.ts';
import { createRandom } from '../model/random.ts';

/** Together they have a place for every kind of damage. */
const values: readonly JsonValue[] = [
  {
    name: 'Ada, "the first"',
    born: 1815,
    alive: false,
    spouse: null,
    ratio: 0.5,
    notes: "one\ntwo, it's",
    motto: 'deeds, not words',
    'first_tag': ['programs are poems', 'b'],
    only: ['naïve'],
    when: '1843-09-01',
    link: 'https://example.com/ada',
    nested: { list: [{ lastOne: 12.5 }] },
    word: 'engine',
    phrase: 'analytical engine',
  },
  [{ a: 1 }, { a: 2 }],
  { city: 'Paris', year: 1889 },
];

function textIn(style: string, value: JsonValue): string {
  return JSON.stringify(value, null, style === 'pretty' ? 2 : 0);
}

function damage(kind: DamageKind, text: string, seed = 'x'): string {
  const random = createRandom(seed);
  return damageText(kind, text, () => random.next());
}

describe('damage of text', () => {
  for (const kind of damageKinds) {
    for (const style of ['minified', 'pretty']) {
      if (kind === 'literal-newlines' && style === 'minified') continue;
      test(`${kind} breaks ${style} JSON, the same way for the same seed`, () => {
        const text = values.map((value) => textIn(style, value)).find((each) => damage(kind, each) !== each);
        assert.ok(text !== undefined, 'offers no place');
        const damaged = damage(kind, text);
        assert.equal(damage(kind, text), damaged);
        if (damageOf(kind).needsSchema !== true) assert.throws(() => JSON.parse(damaged) as unknown);
      });
    }

    test(`${kind} accepts any text without throwing`, () => {
      for (const text of [
        '',
        '{}',
        '[]',
        '1',
        '"a"',
        'null',
        'no JSON at all',
        '{"a": "unclosed',
        '{"__proto__": {"a": 1}}',
      ]) {
        for (const seed of ['x', 'y', 'z']) assert.equal(typeof damage(kind, text, seed), 'string');
      }
    });
  }

  test('there are at least sixty kinds', () => {
    assert.ok(damageNames.length >= 60);
    assert.equal(new Set(damageNames).size, damageNames.length);
  });

  const examples: readonly (readonly [DamageKind, string, string])[] = [
    ['fence', '{"a":1}', '```json\n{"a":1}\n```'],
    ['unclosed-fence', '{"a":1}', '```json\n{"a":1}'],
    ['trailing-comma', '{"a":1}', '{"a":1,}'],
    ['trailing-comma', '{\n  "a": 1\n}', '{\n  "a": 1,\n}'],
    ['single-quotes', '{"a":"it\'s \\"so\\""}', "{'a':'it\\'s \"so\"'}"],
    ['unquoted-keys', '{"a":1,"b c":"a"}', '{a:1,"b c":"a"}'],
    ['python-literals', '[true,"true",null]', '[True,"true",None]'],
    ['python-tuples', '[[1],[]]', '((1,),())'],
    ['missing-comma', '[1,2]', '[1 2]'],
    ['missing-comma', '{"a,b":1,"c":2}', '{"a,b":1"c":2}'],
    ['missing-closer', '{"a":[1]}', '{"a":[1]'],
    ['missing-closers', '{"a":[1]}', '{"a":[1'],
    ['swapped-closers', '{"a":[1]}', '{"a":[1}]'],
    ['smart-quotes', '{"a":"b"}', '{“a”:“b”}'],
    ['raw-newline', '{"a":"b\\nc\\\\n"}', '{"a":"b\nc\\\\n"}'],
    ['raw-newline', '{"a b":"c d"}', '{"a b":"c\nd"}'],
    ['missing-opener', '{"a":1}', '"a":1}'],
    ['double-encoded', '{"a":1}', '"{\\"a\\":1}"'],
    ['unicode-escapes', '{"a":"é😀"}', '{a:"\\u00e9\\ud83d\\ude00"}'],
    ['one-for-list', '{"a":["b"]}', '{"a":"b"}'],
    ['key-value-lines', '{"a":"b c","d":1}', 'a: b c\nd: 1'],
  ];
  for (const [kind, text, expected] of examples) {
    test(`${kind}: ${text}`, () => assert.equal(damage(kind, text), expected));
  }
});

describe('damage of a document', () => {
  const value = { a: 'one two', list: [12, { b: true }], 'c d': null };
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      'a': { type: 'string' },
      'list': { type: 'array', items: {} },
      'c d': { type: ['integer', 'null'] },
    },
  };

  function damaged(names: readonly DamageName[], seed: string) {
    return damageDocument(names, { value, schema }, { style: 'minified', random: createRandom(seed) });
  }

  test('changes nothing without a kind, in every style', () => {
    for (const style of styles) {
      const whole = damageDocument([], { value, schema }, { style, random: createRandom('x') });
      assert.deepEqual(JSON.parse(whole?.text ?? ''), value);
      assert.deepEqual(whole?.accepted, [value]);
    }
  });

  test('a change of notation does not change the value', () => {
    for (const name of ['single-quotes', 'trailing-commas', 'fence', 'comments', 'python-repr'] as const) {
      assert.deepEqual(damaged([name], 'x')?.accepted, [value]);
    }
  });

  test('text inserted into a string is part of the accepted value', () => {
    const spread = damageDocument(
      ['inner-quotes'],
      { value: { a: 'one two three' }, schema: { type: 'object', properties: { a: { type: 'string' } } } },
      { style: 'minified', random: createRandom('x') },
    );
    assert.equal(spread?.text, '{"a":"one "two" three"}');
    assert.deepEqual(spread?.accepted, [{ a: 'one "two" three' }]);
  });

  /** The accepted values for a text that begins like the document and ends after `length` characters. */
  function cutReadings(text: string): readonly JsonValue[] {
    for (let seed = 0; seed < 4_000; seed += 1) {
      for (const name of damageNames.filter((each) => each.startsWith('truncated'))) {
        const cut = damaged([name], String(seed));
        if (cut?.text === text) return cut.accepted;
      }
    }
    throw new Error(`never cut at ${text}`);
  }

  const cuts: readonly (readonly [string, readonly JsonValue[]])[] = [
    ['{"a":"one two","list":[1', [{ a: 'one two', list: [1] }, { a: 'one two', list: [] }, { a: 'one two' }]],
    ['{"a":"one two","list":[12,', [{ a: 'one two', list: [12] }]],
    [
      '{"a":"one two","list":[12,{',
      [
        { a: 'one two', list: [12, {}] },
        { a: 'one two', list: [12] },
      ],
    ],
    [
      '{"a":"one two","list":[12,{"b',
      [
        { a: 'one two', list: [12, {}] },
        { a: 'one two', list: [12] },
      ],
    ],
    [
      '{"a":"one two","list":[12,{"b":',
      [
        { a: 'one two', list: [12, { b: null }] },
        { a: 'one two', list: [12, {}] },
        { a: 'one two', list: [12] },
      ],
    ],
    ['{"a":"one two","list":[12,{"b":true}', [{ a: 'one two', list: [12, { b: true }] }]],
  ];
  for (const [text, readings] of cuts) {
    test(`cut off: ${text}`, () => assert.deepEqual(cutReadings(text), readings));
  }

  test('two kinds damage one document in different places', () => {
    const both = damaged(['fence', 'unquoted-keys'], 'x');
    assert.equal(both?.text, '```json\n{a:"one two",list:[12,{b:true}],"c d":null}\n```');
    assert.deepEqual(both?.accepted, [value]);
  });

  test('kinds that cannot be combined are rejected', () => {
    assert.equal(damaged(['fence', 'tilde-fence'], 'x'), undefined);
    assert.equal(damaged(['single-quotes', 'smart-quotes'], 'x'), undefined);
    assert.equal(damaged(['truncated', 'prose-after'], 'x'), undefined);
  });
});
