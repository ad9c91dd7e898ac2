// The chat's upstream is cut at some places of every kind. test/full cuts at each.

import assert from 'node:assert/strict';
import { inBothWires } from '../support/agent-model.ts';
import { cutEverywhere } from '../support/chat-cuts.ts';

inBothWires('a cut upstream causes no repeated text and no silent end', async (context, wire) => {
  const { complete, failed } = await cutEverywhere(context, wire, 23);
  assert.ok(complete > 10 && failed > 5, `${complete} complete, ${failed} failed`);
});
