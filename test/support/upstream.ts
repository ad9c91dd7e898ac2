// Providers that fail on purpose: servers that stream, stall or send errors in either wire, and a remote provider that
// calls them.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { ErrorKind, SimpleAgentsError } from '../../src/core/error.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import { text } from '../../src/core/message.ts';
import type { ModelStream, Provider } from '../../src/core/provider.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { createRemoteProvider, type RemoteOptions } from '../../src/providers/remote.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { failsWith } from './fails-with.ts';
import { transportFor } from './transports.ts';

export const never = new AbortController().signal;
export const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: [text('Hello')] }] };
export const apiKey = 'sk-very-secret-0123456789';

export function providerFor(context: TestContext, baseUrl: string, options: Partial<RemoteOptions> = {}): Provider {
  const transport = transportFor(context);
  return createRemoteProvider({ name: 'tested', wire: openaiChat, baseUrl, transport, ...options });
}

export async function eventsOf(stream: ModelStream): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The text, and what was thrown after it. */
export async function readAll(stream: AsyncIterable<StreamEvent>): Promise<{ words: string; thrown?: unknown }> {
  let words = '';
  try {
    for await (const event of stream) if (event.type === 'text-delta') words += event.text;
    return { words };
  } catch (thrown) {
    return { words, thrown };
  }
}

/** An error of the provider under test. */
export function failsTested(kind: ErrorKind, message: RegExp, details: Partial<SimpleAgentsError> = {}) {
  return failsWith(kind, message, { target: 'tested', ...details });
}

// Frames of an OpenAI-like server.
export const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm1', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
export const role = chunk({ role: 'assistant', content: '' });
export const say = (content: string) => chunk({ content });
export const stop = chunk({}, { finish_reason: 'stop' });
export const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })}\n\n`;
export const done = 'data: [DONE]\n\n';
export const comment = ': still here\n\n';
export const errorFrame = `data: ${JSON.stringify({ error: { message: 'the model fell over', type: 'server_error' } })}\n\n`;

// Frames of an Anthropic-like server.
export const frame = (type: string, rest: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
export const start = frame('message_start', {
  message: { id: 'msg_1', model: 'm1', usage: { input_tokens: 3, output_tokens: 1 } },
});
export const ping = frame('ping');
export const begin = frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
export const write = (words: string) =>
  frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: words } });
export const close = frame('content_block_stop', { index: 0 });
export const finish = frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } });
export const overloaded = frame('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });

export type Script = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** Opens an event stream and lets the script write to it. */
export function streams(script: Script): RequestListener {
  return (incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_7' });
    response.flushHeaders();
    void script(response, incoming);
  };
}

export function answers(status: number, body: string, headers: Record<string, string> = {}): RequestListener {
  return (incoming, response) => {
    incoming.resume();
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}

/** Writes a ping every few milliseconds until the client disconnects. */
export function keepPinging(response: ServerResponse, sign: string): void {
  const timer = setInterval(() => response.write(sign), 5);
  response.on('close', () => clearInterval(timer));
}
