// Mastra's agent, with its own model for servers of OpenAI's chat format and with the AI SDK's models. It answers questions,
// one JSON line each, as test/support/clients/program.ts asks them, and checks nothing itself.

import { createInterface } from 'node:readline';

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const [gateway] = process.argv.slice(2);
const results = { get_weather: '21 °C', get_time: 'noon' };
const person = z.object({ name: z.string(), age: z.number().int() });
const baseURL = `${gateway}/v1`;

/** The client has no way to express the case. The message says why. */
class Unsupported extends Error {}

/** What Mastra prints goes to the standard error. */
console.log = console.error;

const noReasoning = 'it drops the reasoning of the chat format';
const noStrict = 'it has no strict tools';

const clients = {
  'mastra, chat': {
    connect: (model) => ({ id: `custom/${model}`, url: baseURL, apiKey: 'any' }),
    reasons: { reasoning: noReasoning, 'strict streamed tools': noStrict },
  },
  'mastra, responses': {
    connect: (model) => createOpenAI({ apiKey: 'any', baseURL }).responses(model),
    reasoning: { openai: { reasoningEffort: 'low', reasoningSummary: 'auto', store: false, forceReasoning: true } },
    reasons: { 'strict streamed tools': noStrict },
  },
  'mastra, anthropic': {
    connect: createAnthropic({ apiKey: 'any', baseURL }),
    reasoning: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    reasons: { 'strict streamed tools': noStrict },
  },
};

function tools(calls, names) {
  const parameters = { get_weather: 'city', get_time: 'zone' };
  const describe = { get_weather: 'The weather in a city.', get_time: 'The time in a zone.' };
  const entries = names.map((id) => {
    const inputSchema = z.object({ [parameters[id]]: z.string() });
    const execute = async (input) => {
      calls.push([id, input]);
      return results[id];
    };
    return [id, createTool({ id, description: describe[id], inputSchema, execute })];
  });
  return Object.fromEntries(entries);
}

function agentOf({ client, model }, more = {}) {
  return new Agent({ id: 'a', name: 'a', instructions: '', model: client.connect(model), maxRetries: 0, ...more });
}

/** Null where it does not ask the server for the usage of a stream. */
function usageOf({ inputTokens, outputTokens }) {
  return inputTokens === undefined ? null : [inputTokens, outputTokens];
}

/** Errors of the provider's calls have a status. */
function statusOf(error) {
  for (let cause = error; cause !== undefined && cause !== null; cause = cause.cause) {
    if (cause.statusCode !== undefined) return cause.statusCode;
  }
  return undefined;
}

const cases = {
  async text(question) {
    const { text, usage } = await agentOf(question).generate(question.prompt);
    return { text, usage: usageOf(usage) };
  },
  async stream(question) {
    const output = await agentOf(question).stream(question.prompt);
    const deltas = await Array.fromAsync(output.textStream);
    return { deltas, usage: usageOf(await output.usage) };
  },
  async 'two tools'(question) {
    const calls = [];
    const agent = agentOf(question, { tools: tools(calls, ['get_weather', 'get_time']) });
    const { text } = await agent.generate(question.prompt);
    return { calls, text };
  },
  async structured(question) {
    const structuredOutput = { schema: person };
    const { object } = await agentOf(question).generate(question.prompt, { structuredOutput });
    const output = await agentOf(question).stream(question.prompt, { structuredOutput });
    return { value: object, streamed: await output.object };
  },
  async image(question) {
    const image = { type: 'image', image: `data:image/png;base64,${question.image}`, mimeType: 'image/png' };
    const content = [{ type: 'text', text: question.prompt }, image];
    const { text } = await agentOf(question).generate([{ role: 'user', content }]);
    return { text };
  },
  async reasoning(question) {
    const agent = agentOf(question, { tools: tools([], ['get_weather']) });
    const { text, steps } = await agent.generate(question.prompt, { providerOptions: question.client.reasoning });
    return { reasoning: steps[0].reasoningText, text };
  },
  async error(question) {
    const statuses = {};
    for (const status of [400, 401, 403, 404, 429, 500, 503, 529]) {
      try {
        await agentOf(question).generate(`status ${status}`);
      } catch (error) {
        statuses[status] = statusOf(error);
      }
    }
    return { statuses };
  },
  async 'broken stream'(question) {
    let text = '';
    const output = await agentOf(question).stream(question.prompt);
    for await (const part of output.fullStream) {
      if (part.type === 'text-delta') text += part.payload.text;
      if (part.type === 'error') return { text, failed: true };
    }
    return { text, failed: false };
  },
  async cancel(question) {
    const aborted = new AbortController();
    const output = await agentOf(question).stream(question.prompt, { abortSignal: aborted.signal });
    for await (const text of output.textStream) {
      aborted.abort();
      return { text };
    }
    return {};
  },
};

async function answer({ client: name, case: asked, ...question }) {
  const client = clients[name];
  try {
    const reason = client.reasons[asked];
    if (reason !== undefined) throw new Unsupported(reason);
    return { seen: await cases[asked]({ ...question, client }) };
  } catch (error) {
    return error instanceof Unsupported ? { unsupported: error.message } : { error: String(error.stack) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
