// The chat's upstream cut at some places of every kind; test/full cuts at each.

import assert from 'node:assert/strict';
import { inBothWires } from '../support/agent-model.ts';
import { cutEverywhere } from '../support/chat-cuts.ts';

inBothWires('an upstream that is cut gives no word twice and no silent end', async (context, wire) => {
  const { complete, failed } = await cutEverywhere(context, wire, 23);
  assert.ok(complete > 10 && failed > 5, `${complete} complete, ${failed} failed`);
});
