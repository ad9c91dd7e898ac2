// Values of the wrong type in the options of an agent, in a tool, in a prompt and in a conversation: each is accepted, or
// rejected by an error that names the member.

import { describe, test } from 'node:test';

import { agentOptionMembers } from '../../src/agent/option-shape.ts';
import { createAgent, createClient, defineTool } from '../../src/index.ts';
import { accepts, wrongValues } from '../support/wrong-values.ts';

const client = createClient({ provider: 'simulated' });
const spec = { name: 'look', description: 'Looks', run: () => 'seen' };

describe('a wrong value', () => {
  for (const member of Object.keys(agentOptionMembers)) {
    test(`of the option ${member} of an agent`, async () => {
      for (const value of wrongValues)
        await accepts(undefined, () =>
          createAgent({ client, [member]: value })
            .run('Hi')
            .result(),
        );
    });
  }

  for (const member of ['name', 'description', 'input', 'effect', 'preview', 'run', 'inputSchema']) {
    test(`of the member ${member} of a tool`, async () => {
      for (const value of wrongValues) {
        await accepts(undefined, () => {
          const tool = defineTool({ ...spec, [member]: value });
          return createAgent({ client, tools: [tool] })
            .run('Hi')
            .result();
        });
      }
    });
  }

  test('of a complete argument', async () => {
    for (const value of wrongValues) {
      await accepts(undefined, () => createAgent(value as never));
      await accepts(undefined, () => defineTool(value as never));
      await accepts('prompt', () =>
        createAgent({ client })
          .run(value as never)
          .result(),
      );
      await accepts('messages', () => createAgent({ client }).reset(value as never));
    }
  });
});
