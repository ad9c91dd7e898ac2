// Damaged JSON through the gateway and the helpers of the official SDKs: a sample of the kinds of damage. All of them
// are in the full suite.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { combinations, damageScript, outcomeOf } from '../support/gateway-damage.ts';
import { startGatewayStack, type GatewayStack } from '../support/gateway-stack.ts';

const healed = ['fence', 'prose', 'single-quotes', 'trailing-commas', 'unquoted-keys', 'python-repr'];

let stack: GatewayStack;
before(async () => {
  stack = await startGatewayStack({ simulate: { script: damageScript } });
});
after(() => stack.close());

describe('damaged JSON through the gateway', () => {
  for (const combination of combinations) {
    test(combination.name, async () => {
      for (const damage of healed) assert.equal(await outcomeOf(stack, combination, damage), 'exact', damage);
      assert.equal(await outcomeOf(stack, combination, 'truncated-after-key'), 'refused');
      // A response may be completed, tool arguments may not.
      const expected = combination.name.includes('tool') ? 'refused' : 'exact';
      assert.equal(await outcomeOf(stack, combination, 'missing-closers'), expected);
    });
  }
});
