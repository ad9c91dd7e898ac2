// Rules and modes of the claude CLI. A rule that we cannot express never allows more than it says.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../../../test/support/fails-with.ts';
import { hostModes, parseRules, toDeniedTools, toGrant, toHostMode, toPermissionMode } from './permission-rules.ts';

describe('permission rules', () => {
  test('are separated by commas and spaces outside parentheses', () => {
    assert.deepEqual(parseRules(['Read, Bash(git log, now) Edit', 'mcp__a__b', '']), [
      { tool: 'Read' },
      { tool: 'Bash', content: 'git log, now' },
      { tool: 'Edit' },
      { tool: 'mcp__a__b' },
    ]);
    assert.deepEqual(parseRules(['Bash(echo $(date))']), [{ tool: 'Bash', content: 'echo $(date)' }]);
  });

  test('allow a whole tool, all edits, or an exact command', () => {
    const grants = parseRules(['Bash', 'Bash()', 'Bash(*)', 'Write', 'Bash(npm test)']).map(toGrant);
    const bash = { kind: 'tool', name: 'Bash' };
    assert.deepEqual(grants, [bash, bash, bash, { kind: 'edit' }, { kind: 'command', command: 'npm test' }]);
  });

  test('that are patterns or damaged allow nothing', () => {
    const rules = [
      'Bash(npm:*)',
      'Bash(rm *)',
      'Edit(src/**)',
      'Read(./x)',
      'Bash(',
      'Bash(ls',
      'Write(a',
      'Bash(ls))(',
    ];
    for (const rule of rules) assert.deepEqual(parseRules([rule]).map(toGrant), [undefined], rule);
  });

  test('that deny take away whole tools; a part cannot be denied', () => {
    assert.deepEqual([...toDeniedTools(parseRules(['Bash,Write']), '--x')], ['Bash', 'Write']);
    for (const rule of ['Bash(rm:*)', 'Bash(rm', 'Edit(.env)']) {
      assert.throws(() => toDeniedTools(parseRules([rule]), '--x'), failsWith('bad-request', /^--x: the rule /), rule);
    }
  });
});

test('each mode has one of ours and returns from it', () => {
  for (const mode of hostModes) {
    assert.equal(toHostMode(toPermissionMode(mode)), mode === 'auto' ? 'default' : mode);
  }
  assert.equal(toHostMode('piped'), 'default');
});
