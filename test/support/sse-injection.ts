// Text that tries to inject events: line breaks and complete events in every text of a response, encoded by both wires.
// One event in is one event out: no text of a model ends a line.

import assert from 'node:assert/strict';

import { createParser } from 'eventsource-parser';

import { SimpleAgentsError } from '../../src/core/error.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import { createRandom, type Random } from '../../src/testing/model/random.ts';
import { wires } from './cassette.ts';

const parts = [
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\r\r',
  '\u2028',
  '\u2029',
  '\u0085',
  '\0',
  '\ufeff',
  'data: [DONE]',
  'event: error',
  'data: {"error":{}}',
  ': comment',
  'id: 1',
  'retry: 0',
  '\\n',
  '"',
  'word',
  '\ud800',
];

function hostile(random: Random): string {
  return Array.from({ length: random.integer(1, 6) }, () => parts[random.integer(0, parts.length - 1)]).join('');
}

function eventsOf(random: Random): StreamEvent[] {
  const text = hostile(random);
  const thought = hostile(random);
  const [id, name] = [hostile(random), hostile(random)];
  const input = { [hostile(random)]: hostile(random) };
  return [
    { type: 'message-start', id: hostile(random), model: hostile(random) },
    { type: 'reasoning-delta', index: 0, text: thought },
    { type: 'block-end', index: 0, block: { type: 'reasoning', text: thought, signature: hostile(random) } },
    { type: 'text-delta', index: 1, text },
    { type: 'block-end', index: 1, block: { type: 'text', text } },
    { type: 'tool-call-start', index: 2, id, name },
    { type: 'tool-call-delta', index: 2, json: JSON.stringify(input) },
    { type: 'block-end', index: 2, block: { type: 'tool-call', id, name, input } },
    { type: 'message-end', stopReason: 'stop-sequence', stopSequence: hostile(random), usage: { input: 1, output: 1 } },
  ];
}

/** Encodes this many streams in each wire. Returns the number of events. */
export function checkInjection(seed: string, streams: number): number {
  const random = createRandom(seed);
  let seen = 0;
  for (let count = 0; count < streams; count++) {
    const events = eventsOf(random);
    const failure = new SimpleAgentsError('upstream', hostile(random), {
      target: hostile(random),
      code: hostile(random),
    });
    for (const { server } of wires) {
      const encoder = server.encodeStream({ created: 1, includeUsage: true });
      for (const event of events.slice(0, -1)) seen += checkFrames(encoder.push(event));
      seen += checkFrames(count % 2 === 0 ? encoder.push(events.at(-1) as StreamEvent) : encoder.fail(failure));
    }
  }
  return seen;
}

const line = /^(?:event: [A-Za-z_.]+|data: (?:\[DONE\]|[^\r\n]+))$/;

/** As many events are read as were written, each with one line of JSON data. */
function checkFrames(text: string): number {
  if (text === '') return 0;
  const frames = text.split('\n\n');
  assert.equal(frames.pop(), '');
  for (const frame of frames) for (const part of frame.split('\n')) assert.match(part, line);
  const read: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => read.push(data) });
  parser.feed(text);
  assert.equal(read.length, frames.length, text);
  for (const data of read) if (data !== '[DONE]') JSON.parse(data);
  return read.length;
}
