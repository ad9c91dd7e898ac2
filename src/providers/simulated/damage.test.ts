// Damage: every kind breaks JSON of every style, the same way each time, and takes any text.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { damageKinds, damageText, type DamageKind } from './damage.ts';
import { createRandom } from './random.ts';

const document = {
  name: 'Ada, "the first"',
  born: 1815,
  alive: false,
  spouse: null,
  notes: 'one\ntwo',
  tags: ['a', 'b'],
};
const styles = {
  minified: JSON.stringify(document),
  pretty: JSON.stringify(document, null, 2),
};

function damage(kind: DamageKind, text: string, seed = 'x'): string {
  const random = createRandom(seed);
  return damageText(kind, text, () => random.next());
}

describe('damage', () => {
  for (const kind of damageKinds) {
    for (const [style, text] of Object.entries(styles)) {
      test(`${kind} breaks ${style} JSON, the same way for the same seed`, () => {
        const damaged = damage(kind, text);
        assert.notEqual(damaged, text);
        assert.throws(() => JSON.parse(damaged) as unknown);
        assert.equal(damage(kind, text), damaged);
      });
    }

    test(`${kind} takes any text without throwing`, () => {
      for (const text of ['', '{}', '[]', '1', '"a"', 'null', 'no JSON at all', '{"a": "unclosed']) {
        assert.equal(typeof damage(kind, text), 'string');
      }
    });
  }

  const examples: readonly (readonly [DamageKind, string, string])[] = [
    ['fence', '{"a":1}', '```json\n{"a":1}\n```'],
    ['unclosed-fence', '{"a":1}', '```json\n{"a":1}'],
    ['trailing-comma', '{"a":1}', '{"a":1,}'],
    ['single-quotes', '{"a":"it\'s \\"so\\""}', "{'a':'it\\'s \"so\"'}"],
    ['unquoted-keys', '{"a":1,"b c":"a"}', '{a:1,"b c":"a"}'],
    ['python-literals', '[true,"true",null]', '[True,"true",None]'],
    ['missing-comma', '[1,2]', '[12]'],
    ['missing-comma', '{"a,b":1,"c":2}', '{"a,b":1"c":2}'],
    ['missing-closer', '{"a":[1]}', '{"a":[1]'],
    ['smart-quotes', '{"a":"b"}', '{“a”:“b”}'],
    ['raw-newline', '{"a":"b\\nc\\\\n"}', '{"a":"b\nc\\\\n"}'],
    ['raw-newline', '{"a b":"c d"}', '{"a b":"c\nd"}'],
  ];
  for (const [kind, text, expected] of examples) {
    test(`${kind}: ${text}`, () => assert.equal(damage(kind, text), expected));
  }
});
