// Mastra, unmodified, against the gateway: every case in front of each upstream. The program is in `tools/mastra/`, which
// also pins the packages (145 MB).

import { join } from 'node:path';
import { test } from 'node:test';

import { runClients, startClientStack } from '../support/clients/table.ts';
import { installedTools } from '../support/outside-agents.ts';
import { repository } from '../support/native-library.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = join(repository, 'tools/mastra/clients.mjs');
const files = temporaryFolder();

test('mastra', { timeout: 900_000 }, async (context) => {
  await installedTools('mastra');
  const stack = await startClientStack(context);
  await runClients(context, stack, {
    clients: ['mastra, chat', 'mastra, responses', 'mastra, anthropic'],
    start: (url) => ({
      command: process.execPath,
      argv: [program, url],
      cwd: files.path,
      env: { MASTRA_TELEMETRY_DISABLED: '1' },
    }),
  });
});
