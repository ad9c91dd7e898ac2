// Properties of healing that hold for every text, checked with fast-check.
// More documents: `HEALING_RUNS=10000000 node --test --test-name-pattern "never changed" test/heal/properties.test.ts`.
// To reproduce a failure, set its seed: `HEALING_SEED=… node --test …`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import {
  HealError,
  heal,
  healStream,
  type HealResult,
  type HealStream,
  type JsonSchema,
} from '../../src/heal/index.ts';
import { HealSession } from '../../src/heal/session.ts';
import { contradictionOf } from '../../src/heal/stream/growth.ts';
import { cutEvery, cutRandomly } from '../support/chunks.ts';
import { runs } from '../support/enumeration.ts';
import {
  healChunks,
  healWhole,
  isRefused,
  outcomeOf,
  sendArguments,
  sendChunks,
  type Outcome,
  type Sent,
} from '../support/heal-outcome.ts';
import { readJson } from '../support/json-reference.ts';
import { damagedText, jsonText, strayedText, wildText } from '../support/json-text.ts';
import { replay } from '../support/patch-replay.ts';

const count = Number(process.env['HEALING_RUNS'] ?? runs(100_000, 4000));
// Fixed, so that a failure means a change and not chance. Other seeds are tried by hand.
const seed = Number(process.env['HEALING_SEED'] ?? 20_261_115);

function check<Values extends [unknown, ...unknown[]]>(
  share: number,
  property: fc.IProperty<Values>,
  examples: Values[] = [],
): void {
  const parameters = { numRuns: Math.ceil(count * share), examples };
  fc.assert(property, { ...parameters, seed });
}

const seeds = fc.nat();
const anyDamage = fc.oneof({ weight: 3, arbitrary: damagedText }, { weight: 1, arbitrary: wildText });

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: ['integer', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    kind: { enum: ['cat', 'dog'], default: 'cat' },
    friend: { $ref: '#' },
    notes: { type: 'object', additionalProperties: { type: 'number' } },
  },
  required: ['name', 'tags'],
};
const shape: JsonSchema = {
  anyOf: [
    {
      type: 'object',
      properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
      required: ['kind', 'radius'],
    },
    { type: 'object', properties: { kind: { const: 'label' }, text: { type: 'string' } }, required: ['kind', 'text'] },
    { type: 'array', items: { $ref: '#' } },
    { type: 'string' },
  ],
};
const schemas = fc.constantFrom<JsonSchema | undefined>(
  undefined,
  person,
  shape,
  { type: 'array', items: person },
  { type: 'array', items: { type: 'number' } },
  { type: 'string' },
  { type: 'integer' },
  {},
  { type: 'object', additionalProperties: { anyOf: [{ type: 'string' }, { type: 'boolean' }] } },
);
const surroundings = fc.constantFrom(
  ['```json\n', '\n```'],
  ['Here it is:\n\n', '\n\nAnything else?'],
  ['<think>Let me see.</think>\n', ''],
  ['callback(', ');'],
  ['const answer = ', ';\n'],
  ['', '\n```'],
  ['\ufeff', ''],
);
const fixedSchemas = schemas.filter((schema) => schema !== undefined);

/** The text of a person or an array of people, so that properties with a schema see more than errors. */
const personText = fc
  .record(
    {
      name: fc.string({ unit: 'grapheme', maxLength: 8 }),
      age: fc.oneof(fc.integer(), fc.constant(null), fc.nat().map(String)),
      tags: fc.array(fc.constantFrom('a', 'b, c', 'say "hi"', 'x\ny'), { maxLength: 3 }),
      kind: fc.constantFrom('cat', 'Dog', 'circle', 'label'),
      radius: fc.double({ noNaN: true, noDefaultInfinity: true }),
      text: fc.constantFrom('plain', 'a, "b", c', '{}'),
      notes: fc.dictionary(fc.constantFrom('a', '__proto__', 'b c'), fc.nat(), { maxKeys: 2 }),
    },
    { requiredKeys: ['name', 'tags'] },
  )
  .map((value) => JSON.stringify(value));
const typedText = fc.oneof(
  personText,
  fc.array(personText, { maxLength: 3 }).map((texts) => `[${texts.join(', ')}]`),
  fc.tuple(personText, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
  fc.tuple(personText, fc.nat(), fc.constantFrom('"', ',', '}', "'", '\n', '')).map(([text, place, inserted]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + 1);
  }),
  damagedText,
);

const gap = ' '.repeat(240);
/** Valid JSON that looks like other damage, or has more white space than the lookahead spans. */
const machineTexts = [
  `{"a":true${gap},"b"${gap}:${gap}""}`,
  `[${gap}{"a":"x",${gap}"b"${gap}:${gap}1}]`,
  '[["c\'])b9"]]',
  '["c\']"]',
  '["c\',]"]',
  '[{"a":"x\'}, {y"}]',
  '[{"":";“,","=":""}]',
  '{"":"{",":":""}',
  '["[ {" ,":",1]',
  '{"a":"it\'}\\n"}',
  '{"a":["it\'], \'b\': 1"]}',
  '{"o":{"a":"it\'},"},":":1}',
  "[\"one of 'a', 'b' and 'c'\"]",
  "[\"one of 'a', 'b', 'c' and so\"]",
];
/** Texts whose damage appears only after much of them could have been sent. */
const lateTexts = [
  '{"name":"","age,:null,"tags":[]}',
  '{"name":"\u{10000}","age}:-1,"tags":[],"kind":"cat"}',
  '{"name":"","tags":["a","say \\"hi\\"","kind":"cat"}',
];

/** Texts whose first value was begun in small chunks and passed over in one chunk, or the reverse. */
const splitTexts: [text: string, schema: JsonSchema, cuts: number][] = [
  ['[{"name":"","tags":[],"kind":"label"}]', { type: 'array', items: person }, 0],
  ['{"name":"","age":null,"tags":["a"],"kind":"label","radius":0,"text":"plain"}"notes":{}}', person, 0],
  ['{"name":"Ann","tags":[]}</think>{"name":"Ben","tags":[]}', person, 0],
  ['{"name":"Ann","tags":[]}<think>{"name":"Ben","tags":[]}', person, 0],
  ['([)]', { type: 'array', items: { type: 'array', items: { type: 'string' } } }, 0],
  ['[""friend":{},"name":word}]', { type: 'array', prefixItems: [{ type: 'string' }], items: person }, 0],
  ['{"name":"Ann","tags":["x"]}`', {}, 0],
  ['{-}{', { type: 'object', additionalProperties: { type: 'string' } }, 0],
];

describe('valid JSON is never changed', () => {
  test('in one piece', () => {
    check(
      1,
      fc.property(jsonText, (text) => assertUnchanged(heal(text), text)),
      [['{"__proto__": {"a": 1}}'], ['"\ud800"'], ['"\\u0000"'], ['12345678901234567890'], ['{"a":1,"a":2}']],
    );
  });

  test('in chunks', () => {
    check(
      0.1,
      fc.property(jsonText, seeds, (text, cuts) => {
        assertUnchanged(healChunks(cutRandomly(text, cuts)), text);
      }),
    );
  });

  test('by the lenient machine, which flags only what JSON itself leaves open', () => {
    check(
      0.1,
      fc.property(jsonText, seeds, (text, cuts) => {
        const session = new HealSession(undefined, {});
        for (const chunk of cutRandomly(text, cuts)) session.push(chunk);
        const { value, flags } = session.finish();
        assert.deepEqual(value, readJson(text));
        const kinds = new Set(flags.map((flag) => flag.kind));
        kinds.delete('duplicate-key');
        kinds.delete('precision-lost');
        assert.deepEqual([...kinds], []);
      }),
      machineTexts.map((text) => [text, 0]),
    );
  });

  test('with a schema that allows anything', () => {
    check(
      0.05,
      fc.property(jsonText, (text) => assertUnchanged(heal(text, {}), text)),
    );
  });
});

describe('the result does not depend on how the text is split', () => {
  test('without a schema', () => {
    check(
      0.04,
      fc.property(anyDamage, seeds, (text, cuts) => sameForAllCuts(text, undefined, cuts)),
      [[`{"a": {} b${' '.repeat(127)}, "c": 1}`, 0]],
    );
  });

  test('with a schema', () => {
    check(0.03, fc.property(typedText, schemas, seeds, sameForAllCuts));
  });

  test('if most of it is plain', () => {
    check(
      0.04,
      fc.property(strayedText, schemas, seeds, (text, schema, cuts) => {
        sameForAllCuts(text, schema, cuts);
        // Long enough for the plain reader.
        assert.deepEqual(healChunks(cutRandomly(text, cuts, 80), schema), healWhole(text, schema));
      }),
    );
  });

  test('if a long text is read in pieces', () => {
    const manyTexts = fc.array(anyDamage, { minLength: 200, maxLength: 200 });
    check(
      0.0002,
      fc.property(manyTexts, seeds, (texts, cuts) => {
        // Long enough for three pieces, whatever the texts are.
        const text = `{"list": [${texts.join(',\n')}], "fill": ["${'long enough, '.repeat(10_000)}"], "last": 1,}`;
        assert.deepEqual(healChunks(cutRandomly(text, cuts, 3_000), undefined), healWhole(text));
      }),
    );
  });
});

describe('valid JSON with text around it', () => {
  test('gives the same value as alone, with no flags inside it', () => {
    check(
      0.05,
      fc.property(jsonText, surroundings, seeds, (json, [before, after], cuts) => {
        const text = `${before}[${json}]${after}`;
        const { value, flags } = heal(text, undefined, { minConfidence: 0 });
        assert.deepEqual(value, readJson(`[${json}]`, value));
        const inside = flags.filter(({ path }) => path.length > 0);
        assert.ok(inside.every(({ kind }) => kind === 'duplicate-key' || kind === 'precision-lost'));
        sameForAllCuts(text, undefined, cuts);
      }),
    );
  });
});

describe('a stream', () => {
  test('reports every change of its partial value as a patch', () => {
    check(
      0.03,
      fc.property(
        fc.oneof(typedText, jsonText, wildText),
        schemas,
        fc.integer({ min: 1, max: 6 }),
        (text, schema, size) => {
          assertPatched(schema === undefined ? healStream() : healStream(schema), cutEvery(text, size));
          if (schema !== undefined) assertPatched(healStream(schema, { monotone: true }), cutEvery(text, size));
        },
      ),
      [
        ['[{"name":"","tags":[],"notes":{"a",1}}]', { type: 'array', items: person }, 1],
        ['{"name":"x","tags":[","kind":"label"}', { type: 'array', items: person }, 1],
        ['{```json\n"a":', { type: 'string' }, 1],
      ],
    );
  });

  test('that is monotone only grows, also at its end, for every split', () => {
    const options = { monotone: true, minConfidence: 0 };
    check(
      0.03,
      fc.property(fc.oneof(typedText, jsonText, wildText), fixedSchemas, seeds, (text, schema, cuts) => {
        const shown = [[text], cutEvery(text, 1), cutRandomly(text, cuts)].map((chunks) => {
          const stream = healStream(schema, options);
          let before: unknown;
          for (const chunk of chunks) {
            stream.push(chunk);
            const after = stream.snapshot();
            assert.equal(contradictionOf(before, after), undefined, `after ${JSON.stringify(chunk)}`);
            before = after;
          }
          const outcome = outcomeOf(() => stream.end());
          if (!isRefused(outcome)) assert.equal(contradictionOf(before, outcome.value), undefined, 'at the end');
          return { before, atEnd: stream.snapshot(), outcome: summaryOf(outcome) };
        });
        for (const each of shown) assert.deepEqual(each, shown[0]);
      }),
      [...lateTexts.map((text): [string, JsonSchema, number] => [text, person, 0]), ...splitTexts],
    );
  });

  test('returns snapshots that later text does not change', () => {
    check(
      0.01,
      fc.property(typedText, schemas, (text, schema) => {
        const stream = schema === undefined ? healStream() : healStream(schema);
        const taken: [unknown, string][] = [];
        for (const chunk of cutEvery(text, 3)) {
          stream.push(chunk);
          const snapshot = stream.snapshot();
          taken.push([snapshot, JSON.stringify(snapshot)]);
        }
        for (const [snapshot, before] of taken) assert.equal(JSON.stringify(snapshot), before);
      }),
    );
  });
});

describe('healText', () => {
  test('gives the result of heal, or flags that it ignored later text, or throws', () => {
    check(
      0.03,
      fc.property(typedText, fixedSchemas, seeds, (text, schema, cuts) => {
        const { outcome } = sendChunks(cutRandomly(text, cuts), schema, { minConfidence: 0 });
        if (isRefused(outcome) || outcome.flags.some(({ kind }) => kind === 'ignored-later-value')) return;
        assert.deepEqual(outcome, healWhole(text, schema, { minConfidence: 0 }));
      }),
    );
  });

  test('sends the JSON of its final value, for every split', () => {
    check(
      0.02,
      fc.property(typedText, fixedSchemas, seeds, (text, schema, cuts) => {
        const whole = sendChunks([text], schema);
        if (!isRefused(whole.outcome)) {
          assert.deepEqual(JSON.parse(whole.sent), normalise(whole.outcome.value));
        }
        for (const chunks of [cutEvery(text, 1), cutEvery(text, 4), cutRandomly(text, cuts)]) {
          const pieces = sendChunks(chunks, schema);
          assertSameSent(pieces, whole);
        }
      }),
      [...lateTexts.map((text): [string, JsonSchema, number] => [text, person, 0]), ...splitTexts],
    );
  });
});

describe('healArgumentText', () => {
  test('sends the same arguments, or the same error, for every split', () => {
    check(
      0.03,
      fc.property(typedText, fixedSchemas, seeds, (text, schema, cuts) => {
        const whole = sendArguments([text], schema);
        for (const chunks of [[text], cutEvery(text, 1), cutEvery(text, 4), cutRandomly(text, cuts)]) {
          const { sent, outcome } = sendArguments(chunks, schema);
          assert.deepEqual(summaryOf(outcome), summaryOf(whole.outcome));
          // Which characters are escaped may differ, because complete strings are sent as they were written.
          if (!isRefused(outcome)) assert.deepEqual(normalise(JSON.parse(sent)), normalise(outcome.value));
        }
      }),
      [
        ['{"name":"","tags":[],"friend":{"name":"x","age":1}}', person, 0],
        ['{"name":"","tags":[["a"],[1]]} ', person, 0],
        ...splitTexts,
      ],
    );
  });
});

describe('for every text', () => {
  test('only HealError is thrown', () => {
    check(
      0.1,
      fc.property(fc.oneof(wildText, damagedText, typedText), schemas, fc.boolean(), (text, schema, strict) => {
        // `healWhole` does not catch other errors.
        healWhole(text, schema, { strict });
      }),
    );
  });

  test('no prototype is changed, and dangerous names are plain data', () => {
    check(
      0.02,
      fc.property(
        fc.constantFrom('__proto__', 'constructor', 'prototype'),
        anyDamage,
        schemas,
        (name, inside, schema) => {
          healWhole(`{"${name}": {"polluted": true}, ${inside}`, schema, { minConfidence: 0 });
          healChunks(cutEvery(`{'${name}': {polluted: true, 'tags': ${inside}`, 3), schema, { minConfidence: 0 });
          assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
          assert.equal(([] as unknown as Record<string, unknown>)['polluted'], undefined);
        },
      ),
    );
  });

  test('confidence is between 0 and 1, and 1 exactly if nothing was changed', () => {
    check(
      0.05,
      fc.property(fc.oneof(anyDamage, typedText), schemas, (text, schema) => {
        const outcome = healWhole(text, schema, { minConfidence: 0 });
        if (isRefused(outcome)) return;
        assert.ok(outcome.confidence >= 0 && outcome.confidence <= 1, `confidence ${outcome.confidence}`);
        assert.equal(outcome.confidence === 1, isUnchanged(outcome), JSON.stringify(outcome));
      }),
    );
  });

  test('a value without flags is that of JSON.parse, or the text itself', () => {
    check(
      0.05,
      fc.property(anyDamage, (text) => {
        const outcome = healWhole(text, undefined, { minConfidence: 0 });
        if (isRefused(outcome) || outcome.flags.length > 0) return;
        assert.deepEqual(outcome.value, JSON.parse(text.trim()));
      }),
      ['[true\u00a0]', '[5"]', '["a\\\'"]', '""a""', '[""a""]'].map((text) => [text]),
    );
  });

  test('strict mode changes nothing and throws with the flags', () => {
    check(
      0.02,
      fc.property(fc.oneof(anyDamage, typedText), schemas, (text, schema) => {
        const loose = healWhole(text, schema, { minConfidence: 0 });
        if (isRefused(loose) || isUnchanged(loose)) return;
        assert.throws(
          () => (schema === undefined ? heal(text, undefined, { strict: true }) : heal(text, schema, { strict: true })),
          (error) => error instanceof HealError && error.kind === 'strict' && error.flags.length === loose.flags.length,
        );
      }),
    );
  });
});

/** Fields that the schema does not have are dropped without doubt. */
function isUnchanged({ flags }: HealResult): boolean {
  return flags.every(({ kind }) => kind === 'dropped-field');
}

/** Applies the patches to a copy, as the receiver of a stream does. */
function assertPatched(stream: HealStream, chunks: readonly string[]): void {
  let copy: unknown;
  for (const chunk of chunks) {
    copy = replay(copy, stream.push(chunk));
    assert.deepEqual(copy, stream.partial, `after ${JSON.stringify(chunk)}`);
  }
  copy = replay(copy, stream.settle());
  assert.deepEqual(copy, stream.partial, 'settled');
}

/** Compares with the reference parser, because healing has the known bugs of the engine's JSON.parse. */
function assertUnchanged(outcome: Outcome, text: string): void {
  assert.ok(!isRefused(outcome));
  assert.deepEqual(outcome, { value: readJson(text, outcome.value), flags: [], confidence: 1 });
}

function sameForAllCuts(text: string, schema: JsonSchema | undefined, cuts: number): void {
  const whole = healWhole(text, schema);
  for (const chunks of [cutEvery(text, 1), cutEvery(text, 4), cutRandomly(text, cuts)]) {
    assert.deepEqual(healChunks(chunks, schema), whole, JSON.stringify(chunks));
  }
}

/** An error may come earlier in smaller chunks, before or after the last text that is certain. */
function assertSameSent(pieces: Sent, whole: Sent): void {
  assert.deepEqual(summaryOf(pieces.outcome), summaryOf(whole.outcome));
  if (isRefused(whole.outcome)) {
    assert.ok(pieces.sent.startsWith(whole.sent) || whole.sent.startsWith(pieces.sent), pieces.sent);
  } else assert.equal(pieces.sent, whole.sent);
}

/** JSON text has no negative zero if it was written by `JSON.stringify`. */
function normalise(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** If several fields are missing, which one is named first may depend on how much text had arrived. */
function summaryOf(outcome: Outcome): unknown {
  return isRefused(outcome) ? outcome.error : outcome;
}
