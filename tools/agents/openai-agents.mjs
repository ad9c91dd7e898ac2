// The package `@openai/agents` as a client: answers the questions of test/support/clients/program.ts, one JSON line each,
// with what it saw. It checks nothing itself.

import { createInterface } from 'node:readline';

import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

const [url] = process.argv.slice(2);
const person = z.object({ name: z.string(), age: z.number().int() });
const tools = [
  tool({
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: z.object({ city: z.string() }),
    execute: () => '21 °C',
  }),
  tool({
    name: 'get_time',
    description: 'The time in a zone.',
    parameters: z.object({ zone: z.string() }),
    execute: () => 'noon',
  }),
];

class Unsupported extends Error {}

class Client {
  #runner;
  #losesReasoning;

  constructor({ useResponses, losesReasoning }) {
    const openAIClient = new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 });
    this.#runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }) });
    this.#losesReasoning = losesReasoning;
  }

  #agent({ model }, options = {}) {
    return new Agent({ name: 'Assistant', model, ...options });
  }

  #run(question, { input = question.prompt, ...options } = {}) {
    return this.#runner.run(this.#agent(question, options), input);
  }

  async #stream(question, { signal, ...options } = {}) {
    return this.#runner.run(this.#agent(question, options), question.prompt, { stream: true, signal });
  }

  async 'text'(question) {
    const result = await this.#run(question);
    return { text: result.finalOutput, usage: usageOf(result) };
  }

  async 'stream'(question) {
    const result = await this.#stream(question);
    const deltas = await Array.fromAsync(result.toTextStream());
    await result.completed;
    return { deltas, usage: usageOf(result) };
  }

  async 'two tools'(question) {
    const result = await this.#run(question, { tools });
    return { calls: callsOf(result), text: result.finalOutput };
  }

  async 'strict streamed tools'(question) {
    const result = await this.#stream(question, { tools });
    await Array.fromAsync(result);
    await result.completed;
    return { calls: callsOf(result) };
  }

  async 'structured'(question) {
    const { finalOutput } = await this.#run(question, { outputType: person });
    const result = await this.#stream(question, { outputType: person });
    await Array.fromAsync(result);
    await result.completed;
    return { value: finalOutput, streamed: result.finalOutput };
  }

  async 'image'(question) {
    const image = { type: 'input_image', image: `data:image/png;base64,${question.image}` };
    const content = [{ type: 'input_text', text: question.prompt }, image];
    const { finalOutput } = await this.#run(question, { input: [{ role: 'user', content }] });
    return { text: finalOutput };
  }

  async 'reasoning'(question) {
    const providerData = this.#losesReasoning ? {} : { include: ['reasoning.encrypted_content'] };
    const modelSettings = { reasoning: { effort: 'low', summary: 'auto' }, store: false, providerData };
    const result = await this.#run(question, { tools: tools.slice(0, 1), modelSettings });
    if (this.#losesReasoning && result.finalOutput) throw new Unsupported(this.#losesReasoning);
    const [thought] = result.newItems.filter(({ type }) => type === 'reasoning_item');
    return { reasoning: thought.rawItem.content.map(({ text }) => text).join(''), text: result.finalOutput };
  }

  async 'error'(question) {
    const statuses = {};
    for (const status of [400, 401, 403, 404, 429, 500, 503, 529]) {
      const failed = this.#run(question, { input: `status ${status}` });
      statuses[status] = await failed.then(
        () => undefined,
        (error) => error.status,
      );
    }
    return { statuses };
  }

  async 'broken stream'(question) {
    let text = '';
    try {
      const result = await this.#stream(question);
      for await (const delta of result.toTextStream()) text += delta;
      await result.completed;
    } catch {
      return { text, failed: true };
    }
    return { text, failed: false };
  }

  async 'cancel'(question) {
    const controller = new AbortController();
    const result = await this.#stream(question, { signal: controller.signal });
    const reader = result.toTextStream().getReader();
    const { value } = await reader.read();
    controller.abort();
    await result.completed.catch(() => undefined);
    return { text: value };
  }
}

function usageOf({ rawResponses }) {
  const [{ usage }] = rawResponses;
  return [usage.inputTokens, usage.outputTokens];
}

function callsOf({ newItems }) {
  const calls = newItems.filter(({ type }) => type === 'tool_call_item');
  return calls.map(({ rawItem }) => [rawItem.name, JSON.parse(rawItem.arguments)]);
}

async function answer(clients, { client, case: name, ...question }) {
  try {
    return { seen: await clients[client][name](question) };
  } catch (error) {
    return error instanceof Unsupported ? { unsupported: error.message } : { error: error.stack };
  }
}

setTracingDisabled(true);
const clients = {
  '@openai/agents, responses': new Client({ useResponses: true }),
  '@openai/agents, chat': new Client({
    useResponses: false,
    losesReasoning: 'its chat model keeps no signatures of reasoning',
  }),
};
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(clients, JSON.parse(line)))}\n`);
}
