// Text that is sent before its end is healed like the entire text. Where later text would change what was sent, the
// result says so.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HealError, heal, healText, type JsonSchema } from '../../src/heal/index.ts';
import { cutEvery, cutRandomly } from '../support/chunks.ts';
import { singleCases } from '../support/damage/case.ts';
import { makeDocuments } from '../support/damage/document.ts';
import { sample } from '../support/enumeration.ts';
import { healWhole, isRefused, sendChunks, type Outcome } from '../support/heal-outcome.ts';
import { realAnswers, skipRealAnswers, type RealAnswer } from '../support/real-answers.ts';

const person: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};

type Verdict = 'same' | 'flagged' | 'error' | 'both refuse';

/** Fails for a value that differs without a flag. */
function compare({ text, schema }: Pick<RealAnswer, 'text' | 'schema'>, chunks: readonly string[]): Verdict {
  const whole = healWhole(text, schema);
  const { outcome } = sendChunks(chunks, schema);
  if (isRefused(outcome)) return isRefused(whole) ? 'both refuse' : 'error';
  if (isIgnoring(outcome)) return 'flagged';
  assert.deepEqual(outcome, whole, text);
  return 'same';
}

function isIgnoring({ flags }: Outcome): boolean {
  return flags.some(({ kind }) => kind === 'ignored-later-value');
}

describe('text that is sent early', () => {
  test('has the result of one-shot healing, a flag or an error, on responses of real models', (context) => {
    if (skipRealAnswers !== false) return context.skip(skipRealAnswers);
    const counts: Record<Verdict, number> = { 'same': 0, 'flagged': 0, 'error': 0, 'both refuse': 0 };
    for (const [index, answer] of realAnswers().entries()) {
      const verdicts = [cutEvery(answer.text, 1), cutEvery(answer.text, 4), cutRandomly(answer.text, index)].map(
        (chunks) => compare(answer, chunks),
      );
      const [verdict] = verdicts as [Verdict];
      assert.ok(
        verdicts.every((each) => each === verdict),
        answer.id,
      );
      counts[verdict]++;
    }
    context.diagnostic(JSON.stringify(counts));
    const given = counts.same + counts.flagged + counts.error;
    assert.ok(counts.same >= given * 0.85, JSON.stringify(counts));
  });

  test('has the result of one-shot healing, a flag or an error, on generated damage', (context) => {
    const counts: Record<Verdict, number> = { 'same': 0, 'flagged': 0, 'error': 0, 'both refuse': 0 };
    for (const each of sample([...singleCases('early', makeDocuments('early', 2))], 3)) {
      counts[compare(each, cutEvery(each.text, 5))]++;
    }
    context.diagnostic(JSON.stringify(counts));
    assert.ok(counts.error <= counts.same * 0.01, JSON.stringify(counts));
  });

  const differing: Record<string, readonly [text: string, sent: unknown, whole: unknown, schema?: JsonSchema]> = {
    'a later value': [
      '{"name": "Ann", "age": 1} or rather {"name": "Ben", "age": 2}',
      { name: 'Ann', age: 1 },
      { name: 'Ben', age: 2 },
    ],
    'a repeated key': ['{"name": "Ann", "age": 1, "name": "Ben",}', { name: 'Ann', age: 1 }, { name: 'Ben', age: 1 }],
    'a repeated key in valid JSON': [
      '{"name": "Ann", "age": 1, "name": "Ben"}',
      { name: 'Ann', age: 1 },
      { name: 'Ben', age: 1 },
    ],
    'an exact key after a similar one': [
      '{"NAME": "Ann", "name": "Ben", "age": 1}',
      { name: 'Ann', age: 1 },
      { name: 'Ben', age: 1 },
    ],
    'a repeated key of a map': ['{"a": 1, "a": 2,}', { a: 1 }, { a: 2 }, { additionalProperties: { type: 'integer' } }],
    'thinking that ends late': [
      '{"name": "Ann", "age": 1}</think>{"name": "Ben", "age": 2}',
      { name: 'Ann', age: 1 },
      { name: 'Ben', age: 2 },
    ],
  };
  for (const [name, [text, sent, whole, schema = person]] of Object.entries(differing)) {
    test(`is flagged if later text disagrees: ${name}`, () => {
      const full = schema === person ? schema : { type: 'object', ...schema };
      assert.deepEqual(heal(text, full, { minConfidence: 0 }).value, whole);
      const { outcome } = sendChunks(cutEvery(text, 3), full, { minConfidence: 0 });
      assert.ok(!isRefused(outcome) && isIgnoring(outcome));
      assert.deepEqual(outcome.value, sent);
    });
  }

  test('has the flags of one-shot healing if both values are the same', () => {
    for (const text of ['{"name": "Ann", "age": 1} or {"name": "Ann", "age": 1}', '{"name": "Ann", "age": "1",}']) {
      assert.deepEqual(sendChunks(cutEvery(text, 3), person).outcome, healWhole(text, person));
    }
  });

  test('fails at once if a list or an object that was begun does not match', () => {
    const people: JsonSchema = { type: 'array', items: person };
    const writer = healText(people);
    assert.equal(writer.push('[{"name": "Ann"'), '[{"name":"Ann');
    assert.throws(
      () => writer.push('}, {"name": "Ben", "age": 2}]'),
      (error) => {
        return error instanceof HealError && error.kind === 'missing-field' && error.path.join('.') === '0.age';
      },
    );
  });

  test('does not begin a list before an item matches, because a list that loses all its items is not empty', () => {
    const sizes: JsonSchema = { type: 'array', items: { type: 'integer' } };
    const optional: JsonSchema = { type: 'object', properties: { id: { type: 'integer' }, sizes } };
    const text = '{"id": 1, "sizes": [{"a": "x"}, "large"]} ';
    for (const size of [1, 4, text.length]) {
      const { sent, outcome } = sendChunks(cutEvery(text, size), optional);
      assert.equal(sent, '{"id":1}');
      assert.deepEqual(outcome, healWhole(text, optional));
      const failed = sendChunks(cutEvery(text, size), { ...optional, required: ['sizes'] });
      assert.equal(failed.sent, '{"id":1');
      assert.ok(isRefused(failed.outcome));
      assert.equal(sendChunks(cutEvery('["small", "large"]', size), sizes).sent, '');
    }
    assert.deepEqual(sendChunks(['{"sizes": [', ']}'], optional).outcome, healWhole('{"sizes": []}', optional));
  });

  test('is the same however the text arrives, also if an item or a branch does not match', () => {
    const item = { type: 'object', properties: { kind: { const: 'a' }, name: { type: 'string' } }, required: ['name'] };
    const other = { type: 'object', properties: { kind: { enum: ['a', 'b'] }, size: { type: 'integer' } } };
    const texts = ['[{"kind": "a"}, {"kind": "a", "name": "x"}] ', '[{"size": 1, "kind": "a", "name": "x"}] '];
    for (const text of texts) {
      for (const items of [item, { anyOf: [item, other] }]) {
        const whole = sendChunks([text], { type: 'array', items });
        for (const size of [1, 2, 5]) {
          const { outcome } = sendChunks(cutEvery(text, size), { type: 'array', items });
          assert.deepEqual(outcome, whole.outcome, `${text} in pieces of ${size}`);
        }
      }
    }
  });

  test('is returned at the end if the reader waits for it', () => {
    const writer = healText(person, { commit: 'end' });
    assert.equal(writer.push('{"name": "Ann", "age": 1} or rather {"name": "Ben", "age": 2}'), '');
    const { text, value, flags } = writer.end();
    assert.deepEqual(JSON.parse(text), value);
    assert.deepEqual(value, { name: 'Ben', age: 2 });
    assert.ok(!flags.some(({ kind }) => kind === 'ignored-later-value'));
  });
});
