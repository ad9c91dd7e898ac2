// Demonstrates the package on the simulated model in a few seconds. Each step shows a feature with the code and the command
// for it.

import type { Client } from '../../../client/client.ts';
import { errorTable, isAbort, toError } from '../../../core/error.ts';
import type { JsonSchema } from '../../../core/json.ts';
import type { ToolDefinition } from '../../../core/request.ts';
import { createSimulatedProvider } from '../../../testing/model/provider.ts';
import { ResponseWriter } from '../../response-writer.ts';
import { painter, write, type Terminal } from '../../terminal/terminal.ts';
import { createClient } from '../../../node.ts';

interface DemonstrationStep {
  readonly title: string;
  readonly code: string;
  readonly command?: string;
  readonly show: (stage: StepContext) => Promise<void>;
}

interface StepContext {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const character: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 18, maximum: 90 },
    abilities: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 3 },
  },
  required: ['name', 'age', 'abilities'],
  additionalProperties: false,
};

const steps: readonly DemonstrationStep[] = [
  {
    title: 'A response, streamed as it arrives',
    code: "client.stream('Count to 20')",
    command: 'bin/simple-agents complete "Count to 20" --stream',
    show: showStream,
  },
  {
    title: 'A tool call with arguments that match the tool’s schema',
    code: "client.complete({ messages: 'What is the weather in Paris?', tools: [weather] })",
    show: showToolCall,
  },
  {
    title: 'A typed value from malformed JSON',
    code: "client.complete({ messages: 'Invent a character', schema })",
    command: 'npm run demo:healing',
    show: showValue,
  },
  {
    title: 'A classified error: its kind, whether to retry, the exit code, what to do',
    code: 'catch (error) { error.kind, error.retryable, error.advice }',
    command: 'bin/simple-agents test openai',
    show: showFailure,
  },
];

const nextSteps = `
Now try it yourself, in a terminal:
  npm start                              the gateway
  bin/simple-agents chat                 a chat
  bin/simple-agents --help               all commands
  bin/simple-agents providers            the providers and their API keys
`;

export async function demonstrate(terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { stdout, env } = terminal;
  const paint = painter(stdout, env);
  const client = createClient({ provider: createSimulatedProvider({ tokensPerSecond: 60 }) });
  await write(stdout, 'SimpleAgents: one TypeScript package for every language model.\n');
  await write(stdout, 'This demonstration uses the built-in simulated model, which needs no API key and no network.\n');
  for (const [index, { title, code, command, show }] of steps.entries()) {
    await write(stdout, `\n${paint('bold', `${index + 1}. ${title}`)}\n`);
    await write(stdout, paint('dim', `   in code:          ${code}`) + '\n');
    if (command !== undefined) await write(stdout, paint('dim', `   at the terminal:  ${command}`) + '\n');
    await show({ client, terminal, signal });
  }
  await write(stdout, nextSteps);
  return 0;
}

async function showStream({ client, terminal, signal }: StepContext): Promise<void> {
  const writer = new ResponseWriter(terminal.stdout);
  await writer.write('   ');
  for await (const event of client.stream({ messages: 'Count to 20', signal })) {
    if (event.type === 'text-delta') await writer.write(event.text);
  }
  await writer.finishLine();
}

async function showToolCall({ client, terminal, signal }: StepContext): Promise<void> {
  const { toolCalls } = await client.complete({ messages: 'What is the weather in Paris?', tools: [weather], signal });
  for (const { name, input } of toolCalls) await write(terminal.stdout, `   ${name} ${JSON.stringify(input)}\n`);
}

async function showValue({ terminal, signal }: StepContext): Promise<void> {
  const client = createClient({ provider: createSimulatedProvider({ damage: 'single-quotes' }) });
  const { text, value, flags } = await client.complete({ messages: 'Invent a character', schema: character, signal });
  await write(
    terminal.stdout,
    `   response: ${text}\n   value:    ${JSON.stringify(value)} (${flags.length} changes)\n`,
  );
}

async function showFailure({ terminal, signal }: StepContext): Promise<void> {
  const fault = { status: 429, retryAfter: '2', message: 'Too many requests (scripted).' };
  const client = createClient({ provider: createSimulatedProvider({ script: { replies: [{ fault }] } }) });
  try {
    await client.complete({ messages: 'Hello', signal });
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown;
    const { kind, message, retryable, retryAfterMs, advice } = toError(thrown);
    const again = retryable ? `retry after ${retryAfterMs ?? 0} ms` : 'do not retry';
    const { exitCode } = errorTable[kind];
    await write(terminal.stdout, `   ${kind}: ${message}\n   ${again}; exit code ${exitCode}. ${advice}\n`);
  }
}
