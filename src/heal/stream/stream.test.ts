// What a stream shows and tells where a schema's rules, or where the text is cut, make it hard.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heal, healStream, type JsonSchema } from '../index.ts';

describe('a place with a rule', () => {
  test('may be anything, and shows an object as it is', () => {
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

  test('may lie as deep as the text goes', () => {
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

describe('a change is told once, wherever the text is cut', () => {
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

  test('a list behind a list, where a schema wants no list in it', () => {
    const nested = { type: 'array', items: { type: 'array', items: { type: 'integer' } } };
    assertSame('{"nested": [[[1, -2], [], [8]], "text": "long enough"}', { type: 'object', properties: { nested } });
  });
});

/** Whole, in two pieces cut anywhere, and character by character. */
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

test('a key that ended at its colon keeps the colon, whatever quotes stand behind its value', () => {
  const { flags } = heal('{"key: 12"": 1, "b": 1}', undefined, { minConfidence: 0 });
  assert.ok(!flags.some(({ kind }) => kind === 'fixed-colon'));
});

test('a string at the top goes on behind a plus only where another one follows', () => {
  assert.equal(heal('"a"\n+ "b"').value, 'ab');
  assert.equal(heal('"a"\n+ ').value, 'a');
  for (const text of ['"a"\n+ ', '"a" + "b"', '"a"\n+ "b"']) assertSame(text, {});
});

describe('an object in quotes, those inside it not escaped', () => {
  const member = {
    type: 'object',
    properties: { q: { type: 'string' }, n: { type: 'integer' } },
    required: ['q', 'n'],
  };
  const object = { type: 'object', properties: { inner: member, id: { type: 'integer' } }, required: ['inner', 'id'] };
  const text = { type: 'object', properties: { inner: { type: 'string' } }, required: ['inner'] };

  test('is the value, and the text of it where a text is wanted', () => {
    for (const inner of ['{"q": "x", "n": 1}', '{\n  "q": "x y",\n  "n": 1\n}']) {
      const document = `{"inner": "${inner}", "id": 3}`;
      assert.deepEqual(heal(document, object).value, { inner: JSON.parse(inner) as unknown, id: 3 });
      assert.deepEqual(heal(document, text).value, { inner });
      assert.deepEqual(heal(document).value, { inner: JSON.parse(inner) as unknown, id: 3 });
      for (const schema of [object, text, {}]) assertSame(document, schema);
    }
    assert.deepEqual(heal('["[{"a": 1}, {"a": 2}]", 3]').value, [[{ a: 1 }, { a: 2 }], 3]);
  });

  test('is none where a bracket is all the text there is', () => {
    assert.deepEqual(heal('{"open": "{", "close": "}",}').value, { open: '{', close: '}' });
    assert.deepEqual(heal('{"open":"{" "close":"}"}').value, { open: '{', close: '}' });
    assert.deepEqual(heal('{"a": "{\\"b\\": 1}",}').value, { a: '{"b": 1}' });
  });
});

describe('a text escaped as HTML', () => {
  const text =
    'The answer: {&quot;name&quot;: &quot;A &amp; B&quot;, &quot;tags&quot;: [&#39;x&#39;, &quot;&lt;y&gt;&quot;]}';

  test('is read as what it stands for', () => {
    assert.deepEqual(heal(text).value, { name: 'A & B', tags: ['x', '<y>'] });
    assert.deepEqual(heal('[&quot;a&quot;, 1]').value, ['a', 1]);
    assertSame(text, {});
    assertSame(`${text} &qu`, {});
  });

  test('is not taken for one by an entity in a string', () => {
    assert.deepEqual(heal('{"a": "&quot;x&quot;", b: 1}').value, { a: '&quot;x&quot;', b: 1 });
  });
});
