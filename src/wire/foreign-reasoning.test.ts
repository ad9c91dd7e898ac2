// Reasoning of one wire in the requests and responses of another.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ReasoningBlock } from '../core/message.ts';
import { openReasoning, sealReasoning } from './foreign-reasoning.ts';

const origin = { wire: 'anthropic-messages', provider: 'work' };
const signed: ReasoningBlock = { type: 'reasoning', text: 'Hm', signature: 's', origin };
const redacted: ReasoningBlock = { type: 'reasoning', text: '', redacted: 'r', origin };

describe('reasoning of another wire', () => {
  test('is restored from what the client keeps', () => {
    for (const block of [signed, redacted]) {
      const sealed = sealReasoning(block, 'openai-responses');
      assert.deepEqual(openReasoning(sealed.signature ?? sealed.redacted), block);
    }
  });

  test('is unchanged on its own wire, without an origin, and without a signature', () => {
    const { origin: _origin, ...unknown } = signed;
    const { signature: _signature, ...unsigned } = signed;
    assert.equal(sealReasoning(signed, origin.wire), signed);
    assert.equal(sealReasoning(unknown, 'openai-responses'), unknown);
    assert.equal(sealReasoning(unsigned, 'openai-responses'), unsigned);
  });

  test('is not read from strings of providers or of another shape', () => {
    const strings = ['', 'gAAAAAB', 'simple-agents:', 'simple-agents:[]', 'simple-agents:{"origin":{}}'];
    for (const text of strings) assert.equal(openReasoning(text), undefined, text);
    assert.equal(openReasoning('simple-agents:{"origin":{"wire":"x","provider":1}}'), undefined);
  });
});
