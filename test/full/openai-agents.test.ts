// OpenAI's Agents SDK, unmodified, against the gateway: every case in front of each upstream. The program is in
// `tools/agents/`, beside the package.

import { join } from 'node:path';
import { test } from 'node:test';

import { runClients, startClientStack } from '../support/clients/table.ts';
import { outsideAgents } from '../support/outside-agents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const files = temporaryFolder();

test('@openai/agents', { timeout: 900_000 }, async (context) => {
  const program = join(await outsideAgents(), '../openai-agents.mjs');
  const stack = await startClientStack(context);
  await runClients(context, stack, {
    clients: ['@openai/agents, responses', '@openai/agents, chat'],
    start: (url) => ({ command: process.execPath, argv: [program, url], cwd: files.path }),
  });
});
