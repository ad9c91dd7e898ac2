// docs/simulate.md is correct: its scripts are valid, and it covers every route, fault, kind of damage and field.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { damageKinds } from '../../src/testing/damage/damage.ts';
import { faultNames } from '../../src/testing/model/fault.ts';
import { parseScript } from '../../src/testing/model/script.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/simulate.md'), 'utf8');

describe('docs/simulate.md', () => {
  const scripts = [...page.matchAll(/^```json\n(.*?)^```/gmsu)].map((found) => found[1]!);

  test('shows valid scripts', () => {
    assert.equal(scripts.length, 3);
    for (const script of scripts) parseScript(JSON.parse(script));
  });

  test('explains every fault and every kind of damage', () => {
    for (const name of faultNames) assert.match(page, new RegExp(`\\| .*\`${name}\`.* \\|`, 'u'));
    for (const kind of damageKinds) assert.ok(page.includes(`| \`${kind}\` |`), kind);
  });
});
