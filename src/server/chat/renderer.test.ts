// The frames of the chat stream, event by event.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent } from '../../agent/event.ts';
import { text } from '../../core/message.ts';
import { ChatRenderer } from './renderer.ts';

const render = (events: readonly AgentEvent[]): string => {
  const renderer = new ChatRenderer();
  return events.map((event) => renderer.push(event)).join('');
};

test('text is sent once, as deltas or as a block', () => {
  const words = render([
    { type: 'model-event', event: { type: 'message-start', id: 'a', model: 'm' } },
    { type: 'model-event', event: { type: 'text-delta', index: 0, text: 'Hel' } },
    { type: 'model-event', event: { type: 'text-delta', index: 0, text: '' } },
    { type: 'model-event', event: { type: 'text-delta', index: 0, text: 'lo\n\ndata: [DONE]\r' } },
    { type: 'model-event', event: { type: 'block-end', index: 0, block: text('Hello\n\ndata: [DONE]\r') } },
    { type: 'model-event', event: { type: 'block-end', index: 1, block: text(' there') } },
    { type: 'model-event', event: { type: 'message-start', id: 'b', model: 'm' } },
    { type: 'model-event', event: { type: 'block-end', index: 0, block: text('!') } },
    { type: 'model-event', event: { type: 'reasoning-delta', index: 1, text: 'secretly' } },
  ]);
  assert.equal(
    words,
    ['Hel', 'lo\n\ndata: [DONE]\r', ' there', '!']
      .map((content) => `data: ${JSON.stringify({ content })}\n\n`)
      .join(''),
  );
});

test('the end has the error, the usage and [DONE]', () => {
  const end = { type: 'turn-end', text: '', usage: { input: 3, output: 1 }, iterations: 0, duration: 5 } as const;
  assert.equal(
    render([{ ...end, reason: 'end', cost: 0.5 }]),
    'data: {"usage":{"input":3,"output":1,"cost":0.5}}\n\ndata: [DONE]\n\n',
  );
  assert.equal(
    render([{ ...end, reason: 'cancelled', usage: { input: 0, output: 0, missing: true } }]),
    'data: {"error":"The server is restarting. Please try again in a moment."}\n\ndata: [DONE]\n\n',
  );
});
