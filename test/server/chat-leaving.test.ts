// The chat over real HTTP when the client disconnects, reads slowly or waits for a long time, and when the server shuts
// down.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, type Tool } from '../../src/agent/tool.ts';
import type { SimpleAgentsError } from '../../src/core/error.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import type { Clock } from '../../src/core/clock.ts';
import { inBothWires } from '../support/agent-model.ts';
import { parseAnswer, readAnswer, startChat, startEmbedded } from '../support/chat-server.ts';
import { watchFetch } from '../support/watched-fetch.ts';

/** Reads until the text of the response contains this. */
async function readUntil(response: Response, words: string): Promise<{ leave(): Promise<void> }> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  for (let text = ''; !text.includes(words);) {
    const { value, done } = await reader.read();
    if (done) assert.fail(`the stream ended with ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return { leave: () => reader.cancel() };
}

function waitingTool(): { tool: Tool; started: Promise<void>; aborted: Promise<unknown> } {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<unknown>();
  const tool = defineTool({
    name: 'wait',
    description: 'Waits',
    run: (_input, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason));
      started.resolve();
      return new Promise(() => undefined);
    },
  });
  return { tool, started: started.promise, aborted: aborted.promise };
}

describe('a client that disconnects', () => {
  inBothWires('ends the model call', async (context, wire) => {
    const { ask, model, log } = await startChat(context, wire, {
      replies: [{ text: 'one two three four five six seven eight', fault: { slow: 50 } }],
    });
    const controller = new AbortController();
    const response = await ask('Hi', {}, controller.signal);
    await readUntil(response, 'one');
    controller.abort();
    while (log.length === 0) await sleep(5);
    assert.match(log[0]?.message ?? '', /^\[Chat\] answer end: cancelled/);
    assert.equal(model.requests.length, 1);
  });

  inBothWires('ends its tools, and the model is not called again', async (context, wire) => {
    const { tool, started, aborted } = waitingTool();
    const { ask, model, log } = await startChat(context, wire, {
      replies: [{ text: 'I look.', toolCalls: [{ name: 'wait' }] }, { text: 'Never.' }],
      tools: [tool],
    });
    const controller = new AbortController();
    await readUntil(await ask('Hi', {}, controller.signal), '"start"');
    await started;
    controller.abort();
    assert.match(String(await aborted), /the client closed the connection/);
    while (!log.some(({ message }) => message.includes('cancelled'))) await sleep(5);
    assert.equal(model.requests.length, 1);
  });

  inBothWires('ends the wait before a retry', async (context, wire) => {
    const waiting = Promise.withResolvers<void>();
    const slept = Promise.withResolvers<unknown>();
    const patient: Clock = {
      now: () => performance.now(),
      random: () => 0.5,
      sleep: (_milliseconds, signal) => {
        waiting.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            slept.resolve(signal.reason);
            reject(signal.reason as Error);
          });
        });
      },
    };
    const { ask, model } = await startChat(context, wire, {
      replies: [{ fault: { status: 529 } }],
      clock: patient,
    });
    const controller = new AbortController();
    const asking = ask('Hi', {}, controller.signal);
    asking.catch(() => undefined);
    await waiting.promise;
    controller.abort();
    assert.match(String(await slept.promise), /the client closed the connection/);
    assert.equal(model.requests.length, 1);
  });
});

describe('a server that shuts down', () => {
  test('waits for a response and its tools', async (context) => {
    const { ask, server } = await startChat(context, 'openai', {
      replies: [{ text: 'I look.', toolCalls: [{ name: 'nap' }] }, { text: 'Seen.' }],
      tools: [defineTool({ name: 'nap', description: 'Naps', run: () => sleep(150, 'rested') })],
    });
    const response = await ask('Hi');
    const closing = server.close({ drain: 5000 });
    const { text, errors } = await readAnswer(response);
    assert.deepEqual([text, errors], ['I look.Seen.', []]);
    await closing;
  });

  test('sends an error to remaining clients, ends the tools, and sends [DONE]', async (context) => {
    const { tool, started, aborted } = waitingTool();
    const { ask, server } = await startChat(context, 'anthropic', {
      replies: [{ toolCalls: [{ name: 'wait' }] }],
      tools: [tool],
    });
    const response = await ask('Hi');
    await started;
    await server.close({ drain: 10 });
    assert.match(((await aborted) as SimpleAgentsError).message, /shutting down/);
    const { errors } = await readAnswer(response);
    assert.deepEqual(errors, ['The server is restarting. Please try again in a moment.']);
  });
});

test('comments are sent during silence, also while a tool runs', async (context) => {
  const client = watchFetch();
  const wakeUp = /(: keep-alive\n\n[^]*){2}/;
  const nap = defineTool({ name: 'nap', description: 'Naps', run: () => client.receives(wakeUp).then(() => 'rested') });
  const url = await startEmbedded(context, { keepAlive: 20, tools: [nap] });
  const response = await client.fetch(`${url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Please nap' }] }),
  });
  const body = await response.text();
  assert.match(body, wakeUp);
  assert.match(parseAnswer(body).text, /rested/);
});

test('a slow client slows down the model', async (context) => {
  let sent = 0;
  async function* speak(signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
    yield { type: 'message-start', id: 'm', model: 'm' };
    for (; !signal.aborted; sent += 1000) yield { type: 'text-delta', index: 0, text: 'x'.repeat(1000) };
  }
  const url = await startEmbedded(context, {
    provider: {
      name: 'talkative',
      open: async (_request, signal) => ({
        target: 'talkative',
        ended: new Promise(() => undefined),
        [Symbol.asyncIterator]: () => speak(signal),
      }),
    },
  });
  const { hostname, port } = new URL(url);
  const request = httpRequest({
    hostname,
    port,
    method: 'POST',
    path: '/api/chat/stream',
    headers: { 'content-type': 'application/json' },
  });
  request.end(JSON.stringify({ messages: [{ role: 'user', content: 'Speak' }] }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await sleep(100);
  }
  assert.ok(sent > 0 && sent < 20_000_000, `${sent} characters were read of the model for a client that reads nothing`);
  response.destroy();
});
