// Schemas designed to keep healing busy: each is healed or rejected within its budget. No clock is involved.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { healingLimits } from '../../src/gateway/output/bounded-healing.ts';
import { loadLinearPatterns } from '../../src/gateway/output/linear-pattern.ts';
import { heal, HealBudget, HealError, healInTurns, healText, type HealOptions } from '../../src/heal/index.ts';
import { runs } from '../support/enumeration.ts';
import { hostileSchemas } from '../support/hostile-schemas.ts';
import { typedHostileTexts } from '../support/hostile-texts.ts';

const { base, perCharacter, perTurn } = healingLimits;

function kindOf(error: unknown): string {
  assert.ok(error instanceof HealError, String(error));
  return error.kind;
}

const patterns = await loadLinearPatterns();

describe('hostile schemas', () => {
  test('cover at least 200 schemas of at least 20 kinds', () => {
    assert.ok(hostileSchemas.length >= 200, String(hostileSchemas.length));
    assert.ok(new Set(hostileSchemas.map(({ kind }) => kind)).size >= 20);
  });

  // The quick suite tries two of each kind.
  const tried = hostileSchemas.filter(({ name }) => Number(name.split(' ').at(-1)) <= runs(Infinity, 2));
  for (const { name, schema, text } of tried) {
    test(name, async () => {
      const budget = new HealBudget(healingLimits);
      let turns = 0;
      let start = 0;
      const pause = async (): Promise<void> => {
        turns++;
        assert.ok(budget.spent - start <= perTurn, `a turn of ${budget.spent - start} steps`);
        start = budget.spent;
      };
      const options: HealOptions = { budget, maxDepth: 1000, patterns: patterns() };
      const refusal = await healInTurns(text, schema, options, pause).then(() => undefined, kindOf);
      if (refusal === 'schema-too-complex') return;
      assert.ok(turns > 0 || text.length <= 16 * 1024);
      assert.ok(budget.spent <= base + perCharacter * text.length);
    });
  }
});

test('a text that does not fit is not read again for each branch of its schema', () => {
  for (const [name, { schema, text }] of Object.entries(typedHostileTexts)) {
    const budget = new HealBudget();
    const response = `${text(700)}\nAnd so on.`;
    try {
      heal(response, schema, { budget, minConfidence: 0 });
    } catch (error) {
      kindOf(error);
    }
    assert.ok(budget.spent < 50 * response.length, `${name}: ${budget.spent} steps for ${response.length} characters`);
  }
});

test('healInTurns gives the same result as heal', async () => {
  const schema = { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } };
  const text = `Sure: [${"{'a': '1'}, ".repeat(5000)}`;
  const pauses: number[] = [];
  const inTurns = await healInTurns(text, schema, {}, async () => void pauses.push(1));
  assert.deepEqual(inTurns, heal(text, schema));
  assert.ok(pauses.length > 3);
});

test('an ordinary schema takes less than one step per character, however long the text', () => {
  const item = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['id', 'name'],
  };
  const one = `{"id": "7", name: 'Somebody with a name', "tags": ["first", "second"]},`;
  for (const count of [10, 1000, 5000]) {
    const budget = new HealBudget();
    const text = `[${one.repeat(count)}]`;
    heal(text, { type: 'array', items: item }, { budget });
    assert.ok(budget.spent < 2000 + text.length, `${budget.spent} steps for ${text.length} characters`);
  }
});

test('a union of ten objects does not run out of steps on a long text', () => {
  const arms = Array.from({ length: 10 }, (_, index) => ({
    type: 'object',
    properties: { kind: { const: `k${index}` }, name: { type: 'string' }, size: { type: 'integer' } },
    required: ['kind', 'name', 'size'],
  }));
  const text = `[${`{"kind": "k7", "name": "some name", "size": "12"},`.repeat(5000)}]`;
  const { value } = heal(text, { type: 'array', items: { anyOf: arms } });
  assert.equal((value as unknown[]).length, 5000);
});

test('references that double are compiled once each', () => {
  const steps = [10, 20, 40].map((levels) => {
    const $defs: Record<string, unknown> = {
      [`l${levels}`]: { type: 'object', properties: { a: { type: 'integer' } } },
    };
    for (let level = 0; level < levels; level++) {
      const next = { $ref: `#/$defs/l${level + 1}` };
      $defs[`l${level}`] = { allOf: [next, next] };
    }
    const budget = new HealBudget();
    assert.deepEqual(heal('{"a": "1"}', { $ref: '#/$defs/l0', $defs }, { budget }).value, { a: 1 });
    return budget.spent;
  });
  const [ten = 0, twenty = 0, forty = 0] = steps;
  assert.ok(forty - twenty < 3 * (twenty - ten), steps.join(', '));
});

function refusalOf(schema: Record<string, unknown>): string {
  try {
    heal('[{a: 1}, {a: 2}, {a: 3}, {a: 4}]', schema, { budget: new HealBudget({ base: 250_000 }) });
  } catch (error) {
    return `${kindOf(error)}: ${(error as HealError).message}`;
  }
  return '';
}

test('the error for a schema that is too large names the limit', () => {
  const properties = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`p${index}`, true]));
  assert.match(refusalOf({ properties }), /^schema-too-complex: the schema has more than 20000 nodes/);
  assert.match(refusalOf({ description: 'x'.repeat(1_000_001) }), /^schema-too-complex: .*1000000 characters/);
  const arms = Array.from({ length: 6000 }, (_, index) => ({ type: 'object', properties: { [`k${index}`]: {} } }));
  assert.match(refusalOf({ type: 'array', items: { anyOf: arms } }), /^schema-too-complex: comparing the text/);
});

test('healText has a limit too', () => {
  const arms = Array.from({ length: 5000 }, (_, index) => ({ type: 'object', properties: { k: { const: index } } }));
  const budget = new HealBudget(healingLimits);
  const healed = healText({ type: 'array', items: { anyOf: arms } }, { budget });
  assert.throws(
    () => {
      for (let turn = 0; turn < 10_000; turn++) {
        budget.startTurn();
        healed.push('{"k": -1},');
      }
    },
    (error) => kindOf(error) === 'schema-too-complex',
  );
  assert.ok(budget.spent < 10_000_000);
});
