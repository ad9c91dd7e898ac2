// Signatures: always base64 for a client, and read again in every spelling that a client may send.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isStandardBase64 } from '../../core/base64.ts';
import type { ReasoningBlock } from '../../core/message.ts';
import { decodeRequest } from './server-request.ts';
import { encodeSignature } from './signature.ts';

const text = fc.string({ unit: 'grapheme' });
const origin = fc.record(
  { wire: fc.constantFrom('gemini', 'anthropic-messages', 'openai-responses'), provider: text },
  { requiredKeys: ['wire'], noNullPrototype: true },
);
const reasoning: fc.Arbitrary<ReasoningBlock> = fc.oneof(
  fc.record({ type: fc.constant('reasoning' as const), text, signature: text, origin }, { noNullPrototype: true }),
  fc.record(
    { type: fc.constant('reasoning' as const), text: fc.constant(''), redacted: text, origin },
    { noNullPrototype: true },
  ),
);

/** What a request with this signature has as reasoning. */
function read(thoughtSignature: string): unknown {
  const parts = [{ functionCall: { name: 'f' }, thoughtSignature }];
  return decodeRequest({ contents: [{ role: 'model', parts }] }).messages[0]?.content[0];
}

const spellings: readonly ((signature: string) => string)[] = [
  (signature) => signature,
  (signature) => signature.replaceAll('+', '-').replaceAll('/', '_'),
  (signature) => signature.replace(/=+$/, ''),
  (signature) => Buffer.from(signature, 'base64').toString('base64url'),
];

describe('a signature', () => {
  test('is base64, and restores the reasoning in every spelling', () => {
    fc.assert(
      fc.property(reasoning, fc.constantFrom(...spellings), (block, spell) => {
        const signature = encodeSignature(block) ?? '';
        assert.ok(isStandardBase64(signature), signature);
        if (signature !== '' && signature !== block.signature) assert.deepEqual(read(spell(signature)), block);
      }),
    );
  });

  test('of this wire stays, and is sent back in the standard alphabet', () => {
    const block = { type: 'reasoning', text: '', signature: '+/+/AA==', origin: { wire: 'gemini' } } as const;
    assert.equal(encodeSignature(block), block.signature);
    for (const spell of spellings) assert.deepEqual(read(spell(block.signature)), block);
  });

  test('that the documentation defines stays as it is written there', () => {
    for (const signature of ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'])
      assert.deepEqual(read(signature), { type: 'reasoning', text: '', signature, origin: { wire: 'gemini' } });
  });

  test('of an earlier version is read, and anything else is an error that names it', () => {
    const block = { type: 'reasoning', text: 'Hm', signature: 'real', origin: { wire: 'anthropic-messages' } };
    assert.deepEqual(read(`simple-agents:${JSON.stringify({ ...block, type: undefined })}`), block);
    for (const wrong of ['no base64!', 'a', '{}'])
      assert.throws(() => read(wrong), { kind: 'bad-request', field: 'contents.0.parts.0.thoughtSignature' });
  });
});
