// Judges the validation of JSON Schemas by the official test suite, draft 2020-12 without its optional part.
// Usage: node scripts/outside/json-schema-test-suite.ts FOLDER, where FOLDER is a checkout of
// json-schema-org/JSON-Schema-Test-Suite. Exits with 1 if a verdict differs from the suite's.
// Each verdict is that of the validation that `heal(text, schema)` runs on its result. A schema may also be rejected by an
// error that names a keyword. A second figure counts `heal` itself, in strict mode, on the value as text.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { heal, HealError, type JsonSchema } from '../../src/heal/index.ts';
import { toTarget } from '../../src/heal/schema/schema-input.ts';
import { validate } from '../../src/heal/validate/validation.ts';

interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonSchema | boolean;
  readonly tests: readonly SuiteTest[];
}

interface SuiteTest {
  readonly description: string;
  readonly data: unknown;
  readonly valid: boolean;
}

type Verdict = { readonly valid: boolean; readonly reason?: string } | { readonly refused: string };

const [folder = process.env['JSON_SCHEMA_TEST_SUITE']] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name the folder of a checkout of json-schema-org/JSON-Schema-Test-Suite.');
  process.exit(2);
}
const files = globSync(join(folder, 'tests/draft2020-12/*.json')).toSorted();
const refused = new Map<string, number>();
const [wrong, asserted]: [string[], string[]] = [[], []];
let [tests, agree, healed] = [0, 0, 0];
for (const file of files) {
  for (const group of JSON.parse(readFileSync(file, 'utf8')) as SuiteGroup[]) judgeGroup(basename(file), group);
}
report();

function judgeGroup(file: string, { description, schema: given, tests: cases }: SuiteGroup): void {
  // `heal` takes an object. An `allOf` with a boolean schema means the same as that schema.
  const schema = typeof given === 'boolean' ? { allOf: [given] } : given;
  for (const test of cases) {
    const verdict = judge(schema, test.data);
    tests++;
    if ('refused' in verdict) refused.set(verdict.refused, (refused.get(verdict.refused) ?? 0) + 1);
    else {
      const line = `${file}: ${description}: ${test.description}: ${JSON.stringify(test.data)} is ${test.valid ? 'valid' : 'invalid'} (${verdict.reason ?? 'ours: valid'})`;
      if (verdict.valid === test.valid) agree++;
      else if (file === 'format.json' && test.valid) asserted.push(line);
      else wrong.push(line);
      if (isHealed(schema, test.data) === verdict.valid) healed++;
      else if (process.env['SHOW_HEALED'] !== undefined) console.log(`heal differs: ${line}`);
    }
  }
}

function judge(schema: JsonSchema, value: unknown): Verdict {
  try {
    const { violation } = validate(toTarget(schema).validation!, value);
    return violation === undefined ? { valid: true } : { valid: false, reason: violation.message };
  } catch (error) {
    if (!(error instanceof HealError) || error.kind !== 'invalid-schema') throw error;
    const keyword = /\$(?:ref|dynamicRef|schema)\b/.exec(error.message)?.[0];
    if (keyword === undefined) throw error;
    return { refused: keyword };
  }
}

/** Whether strict healing accepts the value as text. Undeclared members may be left out. */
function isHealed(schema: JsonSchema, value: unknown): boolean {
  try {
    heal(JSON.stringify(value), schema, { strict: true });
    return true;
  } catch (error) {
    if (error instanceof HealError) return false;
    throw error;
  }
}

function report(): void {
  const named = [...refused].map(([keyword, count]) => `${keyword} ${count}`).join(', ');
  const total = [...refused.values()].reduce((sum, count) => sum + count, 0);
  for (const line of wrong) console.log(`WRONG ${line}`);
  console.log(
    [
      `${tests} tests of ${files.length} files`,
      `${agree} agree`,
      `${total} refused by name (${named})`,
      `${asserted.length} differ because format is checked`,
      `${wrong.length} wrong`,
    ].join('\n'),
  );
  console.log(`strict heal gives the same verdict for ${healed} of ${tests - total}`);
  if (wrong.length > 0) process.exitCode = 1;
}
