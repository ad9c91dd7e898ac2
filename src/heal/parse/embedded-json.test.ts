// The fast path for valid JSON with text around it: its value is that of JSON.parse, and everything else goes to the
// machine.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { heal, healStream, type FlagKind } from '../index.ts';
import { healEmbeddedJson } from './embedded-json.ts';

const json = '{"name": "O\'Hara said \\"hi\\"", "tags": ["a {b", "c"], "n": -1.5e-7, "none": null, "sub": {"": [[]]}}';

const around: [before: string, after: string, ...kinds: FlagKind[]][] = [
  ['```json\n', '\n```', 'stripped-markdown'],
  ['```\n', '', 'stripped-markdown'],
  ['', '\n```', 'stripped-markdown'],
  ['Here it is:\n\n', '\n\nAnything else?', 'stripped-prose'],
  ['callback(', ');', 'stripped-prose'],
  ['<think>Let me see.</think>', '', 'stripped-prose', 'stripped-think'],
  ['\ufeff', ''],
];

describe('valid JSON inside a text', () => {
  test('gives the same value as JSON.parse', () => {
    for (const [before, after, ...kinds] of around) {
      const { value, flags } = heal(before + json + after);
      assert.deepEqual(value, JSON.parse(json), before + after);
      assert.deepEqual(
        flags.map(({ kind }) => kind),
        kinds,
        before + after,
      );
    }
  });

  test('does not need the machine, with or without a schema', () => {
    const text = `Sure!\n${json}\n`;
    assert.deepEqual(healEmbeddedJson(text, undefined, {})?.value, JSON.parse(json));
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    assert.deepEqual(heal(text, schema).value, { n: -1.5e-7 });
  });

  test('gives the same value at the end of a stream', () => {
    for (const [before, after] of around) {
      const stream = healStream();
      for (const character of before + json + after) stream.push(character);
      assert.deepEqual(stream.end(), heal(before + json + after));
    }
  });
});

describe('the machine reads the text', () => {
  for (const [why, text] of Object.entries({
    'when nothing stands around it': json,
    'when it is no JSON': '```json\n{"a": 1,}\n```',
    'when there is another value': `${json}\nor\n[1, 2]`,
    'when it was cut off': '{"a": [1, 2], "b": "x',
    'in a thinking that is not over': `<think>${json}`,
  })) {
    test(why, () => {
      assert.equal(healEmbeddedJson(text, undefined, {}), undefined);
    });
  }

  test('if something would be lost', () => {
    assert.deepEqual(heal('```json\n{"a": 1, "b": {"a": 2, "a": 3}}\n```').flags, [
      { kind: 'stripped-markdown', path: [] },
      { kind: 'duplicate-key', field: 'a', path: ['b', 'a'] },
    ]);
    assert.deepEqual(
      heal('```json\n{"a": 12345678901234567890}\n```').flags.map(({ kind }) => kind),
      ['stripped-markdown', 'precision-lost'],
    );
  });

  test('if it is longer or deeper than allowed', () => {
    const deep = `\`\`\`json\n${'['.repeat(60)}${']'.repeat(60)}\n\`\`\``;
    assert.equal(healEmbeddedJson(deep, undefined, { maxDepth: 59 }), undefined);
    assert.notEqual(healEmbeddedJson(deep, undefined, { maxDepth: 60 }), undefined);
    assert.throws(() => heal(deep, undefined, { maxDepth: 59 }), { kind: 'too-deep' });
    assert.throws(() => heal(deep, undefined, { maxBytes: 50 }), { kind: 'too-large' });
  });
});
