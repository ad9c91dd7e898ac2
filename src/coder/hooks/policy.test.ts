// Hooks as a policy: an input that another policy has changed is guarded too, alone and in a parallel batch.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hastyClock, readRun } from '../../../test/support/agent-model.ts';
import { createAgent } from '../../agent/agent.ts';
import type { PolicyCall, ToolPolicy } from '../../agent/policy.ts';
import { defineTool } from '../../agent/tool.ts';
import { createSimulatedProvider } from '../../testing/model/provider.ts';
import type { CallHooks } from './call-hooks.ts';
import { HookPolicy } from './policy.ts';

const pathOf = (call: PolicyCall): string => (call.input as { readonly path: string }).path;

/** Blocks calls with the path `secret`. */
function guards(): { readonly hooks: Pick<CallHooks, 'before' | 'after'>; readonly after: string[] } {
  const after: string[] = [];
  const hooks = {
    before: async (call: PolicyCall) =>
      pathOf(call) === 'secret' ? { by: 'guard', reason: 'secret', message: 'blocked' } : undefined,
    async after(call: PolicyCall) {
      after.push(pathOf(call));
      return false;
    },
  };
  return { hooks, after };
}

const changer: ToolPolicy = {
  around(call, next) {
    const path = pathOf(call).replace('changed-to-', '');
    return path === pathOf(call) ? next() : { input: { path } };
  },
};

describe('hooks and a policy that changes the input', () => {
  for (const effect of ['pure', 'mutating'] as const) {
    test(`guard the new input of a ${effect} tool, and see it afterwards`, async () => {
      const ran: string[] = [];
      const input = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
      const tool = defineTool({ name: 'use', description: 'u', effect, input, run: ({ path }) => void ran.push(path) });
      const paths = ['changed-to-secret', 'changed-to-other', 'plain'];
      const toolCalls = paths.map((path) => ({ name: 'use', id: path, input: { path } }));
      const provider = createSimulatedProvider({ script: { replies: [{ toolCalls }, { text: 'Done.' }] } });
      const { hooks, after } = guards();
      const policies = [changer, () => new HookPolicy(hooks as CallHooks)];
      await readRun(createAgent({ provider, tools: [tool], policies, clock: hastyClock() }).run('Go'));
      assert.deepEqual(ran.toSorted(), ['other', 'plain']);
      assert.deepEqual(after.toSorted(), ['other', 'plain']);
    });
  }
});
