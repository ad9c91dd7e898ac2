// How repairs are drawn in the text: the marked text for each kind, and segments that never lose a character.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { heal, type Flag, type JsonSchema } from '../../src/heal/index.ts';
import { examples } from '../../web/healing/examples.ts';
import { insertedText } from '../../web/healing/inserted-text.ts';
import { LiveHealer } from '../../web/healing/live-healer.ts';
import { toSegments } from '../../web/healing/segments.ts';
import { pathText, valuePaths } from '../../web/healing/value-path.ts';

const anything = {};

function flagsOf(text: string, schema: JsonSchema = anything): readonly Flag[] {
  return heal(text, schema, { locate: true, minConfidence: 0 }).flags;
}

/** The marked texts of a kind. */
function marked(text: string, kind: string, schema?: JsonSchema): string[] {
  const flags = flagsOf(text, schema);
  return toSegments(text, flags)
    .filter(({ flag }) => flag !== undefined && flags[flag]?.kind === kind)
    .map((segment) => segment.text);
}

describe('the marked text', () => {
  const person = { type: 'object', properties: { hitPoints: { type: 'number' } } };
  const cases: [kind: string, text: string, expected: string, schema?: JsonSchema][] = [
    ['fixed-trailing-comma', '{"a": 1 , }', ','],
    ['stripped-comment', '{"a": 1, // one\n "b": 2}', '// one'],
    ['stripped-comment', '{"a": 1 /* one\n two */, "b": 2}', '/* one\n two */'],
    ['stripped-comment', '{"a": 1, # one\n "b": 2}', '# one'],
    ['fixed-quotes', `{"a": 'b c'}`, `'b c'`],
    ['fixed-quotes', '{"a": “b c”}', '“b c”'],
    ['unquoted-key', '{ab: 1}', 'ab'],
    ['fixed-literal', '{"a": True}', 'True'],
    ['fuzzy-field-match', '{"hit_points": 5.5}', '"hit_points"', person],
    ['duplicate-key', '{"a": 1, "a" : 2,}', '"a"'],
    ['inserted-comma', '{"a": 1 "b": 2}', ''],
  ];
  for (const [kind, text, expected, schema] of cases) {
    test(`${kind} in ${JSON.stringify(text)}`, () => assert.deepEqual(marked(text, kind, schema), [expected]));
  }
});

function addedBrackets(text: string): string[] {
  const { value, flags } = heal(text, anything, { locate: true, minConfidence: 0 });
  return flags.filter(({ kind }) => kind === 'closed-truncated').map((flag) => insertedText(flag, value));
}

test('an added bracket is that of the part it closes', () => {
  assert.deepEqual(addedBrackets('{"a": {"b": 1'), ['}']);
  assert.deepEqual(addedBrackets('{"a": [1, 2'), [']']);
});

test('text around the value is outside', () => {
  const text = 'Sure!\n```json\n{"a": 1}\n```\nBye';
  const outside = toSegments(text, flagsOf(text)).filter(({ style }) => style === 'outside');
  assert.deepEqual(
    outside.map((segment) => segment.text),
    ['Sure!\n```json\n', '\n```\nBye'],
  );
});

test('a repair of a renamed field belongs to the field of the value', () => {
  const schema = { type: 'object', properties: { unitPrice: { type: 'number' } } };
  const flags = flagsOf('{"unit_price": "39.90"}', schema);
  assert.ok(flags.length >= 2);
  assert.deepEqual(new Set(valuePaths(flags)), new Set([pathText(['unitPrice'])]));
});

for (const { name, schema, answer } of examples) {
  test(`${name}: at every character, the segments give the text and the value grows to the healed one`, () => {
    const healer = new LiveHealer(schema as JsonSchema);
    let mostFlags = 0;
    for (let length = 0; length <= answer.length; length++) {
      const text = answer.slice(0, length);
      const { flags } = healer.show(text, false);
      mostFlags = Math.max(mostFlags, flags.length);
      const joined = toSegments(text, flags).map((segment) => segment.text);
      assert.equal(joined.join(''), text);
    }
    const final = healer.show(answer, true);
    assert.deepEqual(final.value, heal(answer, schema as JsonSchema, { minConfidence: 0 }).value);
    assert.ok((final.confidence ?? 0) > 0.7 && final.flags.length > 8 && mostFlags >= final.flags.length - 4);
  });
}

test('scrubbing back shows the same as playing', () => {
  const [{ schema, answer }] = examples;
  const healer = new LiveHealer(schema as JsonSchema);
  const at = (length: number) => structuredClone(healer.show(answer.slice(0, length), false));
  const first = at(150);
  at(300);
  assert.deepEqual(at(150), first);
});
