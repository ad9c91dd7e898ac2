// The clients written in Python, by the file of requirements that pins their packages. Packages whose requirements
// contradict each other are in different files.

import { join } from 'node:path';
import { test } from 'node:test';

import { repository } from '../native-library.ts';
import { pythonWith } from '../python-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runClients, startClientStack } from './table.ts';

const folder = join(repository, 'tools/python-clients');

/** No telemetry, and no price list from the network. */
const quiet = {
  AGNO_TELEMETRY: 'false',
  CREWAI_DISABLE_TELEMETRY: 'true',
  CREWAI_TRACING_ENABLED: 'false',
  DO_NOT_TRACK: '1',
  HAYSTACK_TELEMETRY_ENABLED: 'False',
  LANGSMITH_TRACING: 'false',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  LITELLM_TELEMETRY: 'False',
  OTEL_SDK_DISABLED: 'true',
};

export interface PythonPrograms {
  /** In `tools/python-clients/`. */
  readonly requirements: string;
  /** The clients that each program knows, by its file. */
  readonly programs: Readonly<Record<string, readonly string[]>>;
}

export const sdks: PythonPrograms = {
  requirements: 'requirements.txt',
  programs: {
    'openai_chat.py': ['openai, chat', 'openai, chat, async'],
    'openai_responses.py': ['openai, responses', 'openai, responses, async'],
    'anthropic_messages.py': ['anthropic', 'anthropic, async'],
    'google_genai.py': ['google-genai', 'google-genai, async'],
    'litellm_client.py': ['litellm, openai', 'litellm, anthropic', 'litellm, responses'],
    'pydantic_ai_client.py': ['pydantic-ai, openai chat', 'pydantic-ai, responses'],
    'instructor_client.py': [
      'instructor, openai tools',
      'instructor, openai schema',
      'instructor, responses',
      'instructor, anthropic',
    ],
    'langchain_client.py': ['langchain-openai, chat', 'langchain-openai, responses', 'langchain-anthropic'],
  },
};

export const frameworks: PythonPrograms = {
  requirements: 'requirements-frameworks.txt',
  programs: {
    'agno_client.py': ['agno, chat', 'agno, responses', 'agno, anthropic'],
    'dspy_client.py': ['dspy, chat', 'dspy, responses', 'dspy, anthropic'],
    'guidance_client.py': ['guidance'],
    'haystack_client.py': ['haystack, chat', 'haystack, responses', 'haystack, anthropic'],
    'llama_index_client.py': ['llama-index, chat', 'llama-index, responses'],
    'mirascope_client.py': ['mirascope, chat', 'mirascope, responses'],
    'outlines_client.py': ['outlines, openai', 'outlines, anthropic'],
    'smolagents_client.py': ['smolagents'],
  },
};

/** The packages take more than a gigabyte. */
export const largeFrameworks: PythonPrograms = {
  requirements: 'requirements-large.txt',
  programs: {
    'autogen_client.py': ['autogen, chat', 'autogen, anthropic'],
    'crewai_client.py': ['crewai, chat', 'crewai, responses', 'crewai, anthropic'],
    'semantic_kernel_client.py': ['semantic-kernel, chat', 'semantic-kernel, anthropic'],
  },
};

/** One test for each program. Without names of upstreams, in front of all of them. */
export function testPython({ requirements, programs }: PythonPrograms, names?: readonly string[]): void {
  const files = temporaryFolder();
  for (const [file, clients] of Object.entries(programs)) {
    test(file, { timeout: 900_000 }, async (context) => {
      const python = await pythonWith(join(folder, requirements));
      const stack = await startClientStack(context);
      const env = { ...python.env, ...quiet };
      const start = (url: string) => ({ ...python, env, argv: [join(folder, file), url], cwd: files.path });
      await runClients(context, stack, { clients, start, ...(names && { upstreams: names }) });
    });
  }
}
