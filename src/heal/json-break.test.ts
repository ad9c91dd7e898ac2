// What proves that a text is no JSON, and that nothing else is taken for a proof.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { heal } from './index.ts';
import { HealSession } from './session.ts';

function isProved(text: string): boolean {
  const session = new HealSession(undefined, { maxDepth: 50 }, { valuesOnly: true });
  try {
    session.finish(text);
  } catch {
    // What it comes to is of no interest here.
  }
  return session.machine.breaksJson(text);
}

const head = '{"first": ["one", "two", 3], "second": ';

test('one slip behind what is JSON is a proof', () => {
  for (const tail of [
    '1,}',
    '[1, 2,]}',
    '"a" "b": 1}',
    '"a", b: 1}',
    `"a", 'b': 1}`,
    '007}',
    'True}',
    '"two\nlines"}',
    '"50\\% off"}',
    '"he said "hi" to me"}',
    '1}}',
    '{"a" 1}}',
    '1, // one\n"b": 2}',
    '}',
    '[1 2]}',
    '{, "a": 1}}',
    '"a", "b" 1}',
    '"a", "b: 1}',
    '["a", b]}',
    '["a", ...]}',
    '[1, 2], more: 4}',
    '{"a": "b"} // so\n}',
    '{"a": "b"};}',
    '[]',
  ])
    assert.equal(isProved(head + tail), true, tail);
});

test('what JSON allows is none, however odd', () => {
  for (const tail of [
    '1}',
    '12345678901234567890}',
    '1e5, "a]b": {}}',
    "\"a', 'b'\"}",
    '"\\u0041\\"", "second": 2}',
    '"", "": []}  \n',
    '"it\'s", "": [-1, "a]"], "b": {}}',
    `${'['.repeat(100)}${']'.repeat(100)}}`,
  ]) {
    assert.doesNotThrow(() => JSON.parse(head + tail) as unknown, tail);
    assert.equal(isProved(head + tail), false, tail);
  }
});

test('valid JSON behind many damaged texts is what it was', () => {
  const valid = `${head}"it's", "second": 12345678901234567890}`;
  for (let turn = 0; turn < 40; turn++) heal(`${head}1,}`);
  for (let turn = 0; turn < 3; turn++) {
    assert.deepEqual(heal(valid), { value: JSON.parse(valid) as unknown, flags: [], confidence: 1 });
  }
});
