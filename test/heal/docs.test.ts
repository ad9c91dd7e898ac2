// Checks docs/healing.md: the flag table, the examples, the scorecard of BENCHMARKS.md and the number of policies.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { heal, healStream, healText } from '../../src/heal/index.ts';
import { renderFlagTable } from '../support/heal-flag-table.ts';

const docs = join(import.meta.dirname, '../../docs');
const page = readFileSync(join(docs, 'healing.md'), 'utf8');
const benchmarks = readFileSync(join(docs, 'BENCHMARKS.md'), 'utf8');

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};

describe('docs/healing.md', () => {
  test('contains the flag table that the examples generate', () => {
    const table = /^\| flag \|[^]*?(?=\n\n)/mu.exec(page)?.[0];
    assert.equal(table, renderFlagTable(), 'write it again with `node test/support/heal-flag-table.ts`');
  });

  test('lists every policy in order', () => {
    const policies = /^## Policies$[^]*?^## /mu.exec(page)?.[0] ?? '';
    const numbers = [...policies.matchAll(/^(\d+)\. \*\*/gmu)].map((found) => Number(found[1]));
    assert.deepEqual(
      numbers,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  test('contains the scorecard of BENCHMARKS.md', () => {
    const scorecard = /^\| healer \|[^]*?(?=\n\n)/mu;
    assert.equal(scorecard.exec(page)?.[0], scorecard.exec(benchmarks)?.[0]);
  });

  test('shows the output of its examples', () => {
    const whole = heal('```json\n{name: \'Ada\', "age": "36",}\n```', person);
    assert.ok(page.includes(JSON.stringify(whole.value)));
    assert.ok(page.includes(`confidence ${whole.confidence.toFixed(3)}`), String(whole.confidence));
    const stream = healStream(person);
    for (const chunk of ['{"name": "A', 'da", "age": 3', '6}']) {
      assert.ok(page.includes(JSON.stringify(stream.push(chunk))), `the patches of ${chunk}`);
    }
    const [live, monotone] = [healStream(person), healStream(person, { monotone: true })];
    for (const chunk of ['{"name":"Ann","age":35} …', ' sorry: {"name":"Ann", ', '"age":36}']) {
      live.push(chunk);
      monotone.push(chunk);
      const cells = [live, monotone].map(({ partial }) => JSON.stringify(partial));
      const row = [`push('${chunk}')`, ...cells].join(' ');
      assert.ok(page.replace(/ {2,}/g, ' ').includes(`${row}\n`), row);
    }
    assert.throws(() => monotone.end(), { kind: 'contradiction' });
    const sender = healText(person);
    for (const chunk of ["{'name': 'A", "da', age: '3", "6'}"]) {
      assert.ok(page.includes(`push(${JSON.stringify(chunk)})`), chunk);
      assert.ok(page.includes(JSON.stringify(sender.push(chunk))), `what is sent of ${chunk}`);
    }
    assert.ok(page.includes(JSON.stringify(sender.end().text)));
  });
});
