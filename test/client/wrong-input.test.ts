// Values of the wrong type, as programs in JavaScript and JSON from other languages contain them: every member of a
// request and every option is given each of them. Each is accepted, or rejected by an error that names the member.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Client } from '../../src/client/client.ts';
import { optionMembers } from '../../src/client/option-shape.ts';
import { requestMembers } from '../../src/client/request-shape.ts';
import { heal } from '../../src/heal/index.ts';
import { createClient } from '../../src/index.ts';
import { accepts, wrongValues } from '../support/wrong-values.ts';

const blockMembers = 'text source format data signature id name callId content origin cache extra'.split(' ');
const blockTypes = ['text', 'image', 'audio', 'document', 'reasoning', 'tool-call', 'tool-result', 'opaque'];

const call = { type: 'tool-call', id: 'c1', name: 'f', input: {} };

describe('a wrong value', () => {
  let client: Client;
  before(() => {
    client = createClient({ provider: 'simulated' });
  });
  after(() => client.close());

  const ask = (request: object): Promise<unknown> => client.complete({ messages: 'Hi', ...request } as never);

  for (const member of Object.keys(requestMembers)) {
    test(`of the member ${member} of a request`, async () => {
      for (const value of wrongValues) await accepts(member, () => ask({ [member]: value }));
    });
  }

  for (const type of blockTypes) {
    test(`in a block of the type ${type}`, async () => {
      const whole = { text: 'a', source: { kind: 'url', url: 'https://example.com/a.png' }, format: 'wav', data: 'AA' };
      const block = { type, ...whole, id: 'c2', name: 'f', callId: 'c1', content: [], origin: { wire: 'w' } };
      for (const member of [undefined, ...blockMembers]) {
        for (const value of wrongValues) {
          const content = [{ ...block, ...(member === undefined ? (value as object) : { [member]: value }) }];
          const messages = [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: type === 'tool-result' ? [call] : content },
            { role: 'user', content: type === 'tool-call' ? 'Hi' : content },
          ];
          await accepts(undefined, () => ask({ messages }));
        }
      }
    });
  }

  for (const member of Object.keys(optionMembers)) {
    test(`of the option ${member}`, async () => {
      for (const value of wrongValues) {
        await accepts(undefined, async () => {
          const mistaken = createClient({ provider: 'simulated', [member]: value });
          try {
            await mistaken.complete('Hi');
          } finally {
            await mistaken.close();
          }
        });
      }
    });
  }

  test('of a complete argument', async () => {
    for (const value of wrongValues) {
      await accepts(undefined, () => client.complete(value as never));
      await accepts('model', () => client.complete('Hi', value as never));
      await accepts('model', () => client.resolve(value as never));
      await accepts(undefined, () => client.embed(value as never));
      await accepts(undefined, () => createClient(value as never).complete('Hi'));
    }
  });

  test('of a member of a request for embeddings', async () => {
    for (const member of ['input', 'dimensions', 'user', 'fields', 'cache', 'model', 'signal']) {
      for (const value of wrongValues) await accepts(member, () => client.embed({ input: 'a', [member]: value }));
    }
  });

  test('of the text to heal', () => {
    for (const value of [undefined, null, 1, {}])
      assert.throws(() => heal(value as never), /^TypeError: heal: the text must be a string$/);
  });
});
