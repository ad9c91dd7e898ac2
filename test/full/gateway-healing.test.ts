// Every named way of damaging JSON, through the gateway and the official SDKs' own helpers, streamed and not, as answers
// and as arguments of tools: a value that fits the schema, or an explicit refusal, never anything else.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { damageKinds } from '../../src/providers/simulated/damage.ts';
import { combinations, damageScript, outcomeOf, type Outcome } from '../gateway-damage.ts';
import { startGatewayStack, type GatewayStack } from '../gateway-stack.ts';

let stack: GatewayStack;
before(async () => {
  stack = await startGatewayStack({ simulate: { script: damageScript } });
});
after(() => stack.close());

describe('all damage through the gateway', () => {
  for (const combination of combinations) {
    test(combination.name, async () => {
      const found: Record<Outcome, string[]> = { exact: [], valid: [], refused: [], wrong: [] };
      for (const damage of damageKinds) found[await outcomeOf(stack, combination, damage)].push(damage);
      assert.deepEqual(found.wrong, []);
      // What was cut off lacks members nobody can know, and one kind of quotes has more than one reading.
      const explained = /^(?:truncated|inner-quotes-before-colon)/u;
      assert.deepEqual(
        found.refused.filter((damage) => !explained.test(damage)),
        [],
      );
      assert.ok(found.exact.length >= 0.8 * damageKinds.length, `${found.exact.length} of ${damageKinds.length} exact`);
    });
  }
});
