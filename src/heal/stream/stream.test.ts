// Partial values and patches in difficult cases: stream rules, and chunks split at awkward positions.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heal, healStream, type JsonSchema } from '../index.ts';

describe('a value with a rule', () => {
  test('may have any type, and shows an object as it is', () => {
    const schema = {
      type: 'object',
      properties: { x: { anyOf: [{ 'type': 'string', 'x-stream': 'with-state' }, {}] } },
    };
    const stream = healStream(schema);
    stream.push('{"x":{"a":1}, "y');
    assert.deepEqual(stream.partial, { x: { a: 1 } });
    stream.push('": 2}');
    assert.deepEqual(stream.end().value, { x: { a: 1 } });
  });

  test('may be as deep as the text', () => {
    const node = {
      type: 'object',
      properties: { name: { 'type': 'string', 'x-stream': 'done' }, child: { $ref: '#/$defs/node' } },
    };
    const schema: JsonSchema = { $defs: { node }, $ref: '#/$defs/node' };
    const depth = 9_000;
    const stream = healStream(schema);
    stream.push(`${'{"name":"a","child":'.repeat(depth)}{"name":"b"}`);
    stream.push('}'.repeat(depth));
    let shown = stream.partial as { child?: unknown; name: string };
    for (let level = 0; level < depth; level++) shown = shown.child as typeof shown;
    assert.deepEqual(shown, { name: 'b' });
  });
});

describe('each change is reported once, however the text is split', () => {
  const texts = {
    'a comma before the second of two doubled brackets': '[{{"a":1,}}, 2]',
    'stars around a key': '{**"a"** : 1, "b" **: 2}',
    'a key that ended at its colon, before doubled quotes': '{"key: 12"", "b": 1}',
    'a fence behind a bracket that the string may have opened': '"":"{"}\\n```',
    'an item without its first quote, before white space written out': '["READ", DMIN"\\n], "a long enough text"]',
    'a number that was only begun': '{"nested": [[1,-],[],[8]], "text": "long enough"}',
    'an empty item where keys have doubled quotes': '{""d"": [""  ]\n  ],\n "b": "a long enough text"}',
    'a string whose first quote is escaped': '"":\\"\\"}]","mx":[[-1], "a long enough text"]',
    'a comment in a list in quotes': '{"a": "[ /* so */{"b": 1}, 2], "c": "long enough"}',
    'a semicolon for a colon': '{a; 1, "b"; "long enough", "c"; {"d" ; 2}}',
    'two signs for a colon behind a word in quotes': '{"a": 4"b"=t""== and a long enough text',
  };
  for (const [name, text] of Object.entries(texts)) test(name, () => assertSame(text, {}));

  test('an array after an array, if the schema wants no nested array', () => {
    const nested = { type: 'array', items: { type: 'array', items: { type: 'integer' } } };
    assertSame('{"nested": [[[1, -2], [], [8]], "text": "long enough"}', { type: 'object', properties: { nested } });
  });
});

/** Compares one piece, two pieces split anywhere, and single characters. */
function assertSame(text: string, schema: JsonSchema): void {
  const options = { minConfidence: 0 };
  const whole = heal(text, schema, options);
  const cuts = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);
  const characters = Array.from({ length: text.length }, (_, at) => text.charAt(at));
  for (const pieces of [...cuts, characters]) {
    const stream = healStream(schema, options);
    for (const piece of pieces) stream.push(piece);
    assert.deepEqual(stream.end(), whole, JSON.stringify(pieces));
  }
}

test('a key that ended at its colon keeps the colon, whatever quotes follow its value', () => {
  const { flags } = heal('{"key: 12"": 1, "b": 1}', undefined, { minConfidence: 0 });
  assert.ok(!flags.some(({ kind }) => kind === 'fixed-colon'));
});

test('a top-level string continues after a plus only if another string follows', () => {
  assert.equal(heal('"a"\n+ "b"').value, 'ab');
  assert.equal(heal('"a"\n+ ').value, 'a');
  for (const text of ['"a"\n+ ', '"a" + "b"', '"a"\n+ "b"']) assertSame(text, {});
});

describe('an object in quotes, with its own quotes unescaped', () => {
  const member = {
    type: 'object',
    properties: { q: { type: 'string' }, n: { type: 'integer' } },
    required: ['q', 'n'],
  };
  const object = { type: 'object', properties: { inner: member, id: { type: 'integer' } }, required: ['inner', 'id'] };
  const text = { type: 'object', properties: { inner: { type: 'string' } }, required: ['inner'] };

  test('is the value, or its text if a string is wanted', () => {
    for (const inner of ['{"q": "x", "n": 1}', '{\n  "q": "x y",\n  "n": 1\n}']) {
      const document = `{"inner": "${inner}", "id": 3}`;
      assert.deepEqual(heal(document, object).value, { inner: JSON.parse(inner) as unknown, id: 3 });
      assert.deepEqual(heal(document, text).value, { inner });
      assert.deepEqual(heal(document).value, { inner: JSON.parse(inner) as unknown, id: 3 });
      for (const schema of [object, text, {}]) assertSame(document, schema);
    }
    assert.deepEqual(heal('["[{"a": 1}, {"a": 2}]", 3]').value, [[{ a: 1 }, { a: 2 }], 3]);
  });

  test('is not recognised if the string contains only a bracket', () => {
    assert.deepEqual(heal('{"open": "{", "close": "}",}').value, { open: '{', close: '}' });
    assert.deepEqual(heal('{"open":"{" "close":"}"}').value, { open: '{', close: '}' });
    assert.deepEqual(heal('{"a": "{\\"b\\": 1}",}').value, { a: '{"b": 1}' });
  });
});

describe('a text escaped as HTML', () => {
  const text =
    'The answer: {&quot;name&quot;: &quot;A &amp; B&quot;, &quot;tags&quot;: [&#39;x&#39;, &quot;&lt;y&gt;&quot;]}';

  test('is decoded', () => {
    assert.deepEqual(heal(text).value, { name: 'A & B', tags: ['x', '<y>'] });
    assert.deepEqual(heal('[&quot;a&quot;, 1]').value, ['a', 1]);
    assertSame(text, {});
    assertSame(`${text} &qu`, {});
  });

  test('is not assumed because of an entity inside a string', () => {
    assert.deepEqual(heal('{"a": "&quot;x&quot;", b: 1}').value, { a: '&quot;x&quot;', b: 1 });
  });
});
