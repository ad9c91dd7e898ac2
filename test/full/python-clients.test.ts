// Clients written in Python, unmodified, against the gateway: every case in front of each upstream.
// The programs are in `tools/python-clients/`, which also pins the packages.

import { join } from 'node:path';
import { describe, test } from 'node:test';

import { runClients, startClientStack } from '../support/clients/table.ts';
import { pythonWith, skipWithoutPython } from '../support/python-environment.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = join(import.meta.dirname, '../../tools/python-clients');
const files = temporaryFolder();

/** No telemetry, and no price list from the network. */
const quiet = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False', LANGSMITH_TRACING: 'false' };

/** The clients that each program knows. */
const programs: Readonly<Record<string, readonly string[]>> = {
  'openai_chat.py': ['openai, chat', 'openai, chat, async'],
  'openai_responses.py': ['openai, responses', 'openai, responses, async'],
  'anthropic_messages.py': ['anthropic', 'anthropic, async'],
  'litellm_client.py': ['litellm, openai', 'litellm, anthropic', 'litellm, responses'],
  'pydantic_ai_client.py': ['pydantic-ai, openai chat', 'pydantic-ai, responses'],
  'instructor_client.py': [
    'instructor, openai tools',
    'instructor, openai schema',
    'instructor, responses',
    'instructor, anthropic',
  ],
  'langchain_client.py': ['langchain-openai, chat', 'langchain-openai, responses', 'langchain-anthropic'],
};

describe('clients in Python', { skip: skipWithoutPython }, () => {
  for (const [file, clients] of Object.entries(programs)) {
    test(file, { timeout: 900_000 }, async (context) => {
      const python = await pythonWith(join(folder, 'requirements.txt'));
      const stack = await startClientStack(context);
      const env = { ...python.env, ...quiet };
      const start = (url: string) => ({ ...python, env, argv: [join(folder, file), url], cwd: files.path });
      await runClients(context, stack, { clients, start });
    });
  }
});
