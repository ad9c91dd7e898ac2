// The chat's upstream cut at every byte, in both wires.

import assert from 'node:assert/strict';
import { inBothWires } from '../support/agent-model.ts';
import { cutEverywhere } from '../support/chat-cuts.ts';

inBothWires('an upstream cut at any byte causes no repeated text and no silent end', async (context, wire) => {
  const { complete, failed } = await cutEverywhere(context, wire, 1);
  context.diagnostic(`${complete} complete, ${failed} failed`);
  assert.ok(complete > 200 && failed > 200);
});
