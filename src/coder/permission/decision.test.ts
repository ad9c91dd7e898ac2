// All combinations of permissions: mode × kind of call × guard verdict × sandbox × memory.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GuardVerdict } from '../guard/verdict.ts';
import { decide, type PermissionDecision, type PermissionCase, type PermissionMode } from './decision.ts';
import type { Grant } from './grant.ts';

const modes: readonly PermissionMode[] = ['ask', 'auto-edit', 'read-only', 'full', 'piped', 'refuse'];
const grants = {
  edit: { kind: 'edit' },
  command: { kind: 'command', command: 'x' },
  tool: { kind: 'tool', name: 'y' },
} satisfies Record<string, Grant>;

type Action = PermissionDecision['action'];
type ByMode = Readonly<Record<PermissionMode, Action>>;

/** `refuse` differs from `ask` only in what would be asked. */
function row(...actions: readonly [Action, Action, Action, Action, Action]): ByMode {
  const [ask, autoEdit, readOnly, full, piped] = actions;
  return { ask, 'auto-edit': autoEdit, 'read-only': readOnly, full, piped, refuse: ask === 'ask' ? 'refuse' : ask };
}

/** In the order of `modes`; nothing remembered. */
const table: Readonly<Record<string, ByMode>> = {
  'pure': row('allow', 'allow', 'allow', 'allow', 'allow'),
  'edit': row('ask', 'allow', 'refuse', 'allow', 'allow'),
  'tool': row('ask', 'ask', 'refuse', 'allow', 'refuse'),
  'command allow sandbox': row('ask', 'ask', 'refuse', 'allow', 'allow'),
  'command ask sandbox': row('ask', 'ask', 'refuse', 'allow', 'refuse'),
  'command refuse sandbox': row('refuse', 'refuse', 'refuse', 'refuse', 'refuse'),
  'command allow': row('ask', 'ask', 'refuse', 'allow', 'refuse'),
  'command ask': row('ask', 'ask', 'refuse', 'allow', 'refuse'),
  'command refuse': row('refuse', 'refuse', 'refuse', 'refuse', 'refuse'),
};

function caseOf(name: string, mode: PermissionMode): PermissionCase {
  const [kind = '', verdict, sandbox] = name.split(' ');
  return {
    mode,
    effect: kind === 'pure' ? 'pure' : 'mutating',
    grant: kind === 'pure' ? { kind: 'tool', name: 'Read' } : grants[kind as keyof typeof grants],
    ...(verdict === undefined ? {} : { judgement: { verdict: verdict as GuardVerdict, reason: 'because' } }),
    hasSandbox: sandbox !== undefined,
    isRemembered: false,
  };
}

describe('permission', () => {
  for (const [name, byMode] of Object.entries(table)) {
    for (const mode of modes) {
      test(`${name} in ${mode}: ${byMode[mode]}`, () => {
        const each = caseOf(name, mode);
        assert.equal(decide(each).action, byMode[mode]);
        // What the user allowed for good is neither asked nor refused, unless the guard refuses or nothing may change.
        const stays = mode === 'read-only' || name.includes('refuse');
        assert.equal(decide({ ...each, isRemembered: true }).action, stays ? byMode[mode] : 'allow');
      });
    }
  }

  test('names the flag that would allow it', () => {
    for (const name of ['tool', 'command allow', 'command ask sandbox']) {
      const decision = decide(caseOf(name, 'piped'));
      assert.ok(decision.action === 'refuse' && decision.reason.includes('--permission full'), name);
    }
    const decision = decide(caseOf('edit', 'read-only'));
    assert.ok(decision.action === 'refuse' && decision.reason.includes('--permission read-only'));
  });

  test('a command that was not judged does not run unattended', () => {
    const { judgement: _, ...unjudged } = caseOf('command allow sandbox', 'piped');
    assert.equal(decide(unjudged).action, 'refuse');
  });
});
