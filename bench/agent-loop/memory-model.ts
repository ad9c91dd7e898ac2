// A model that responds from memory: with text and a tool call to a user message, with text to a tool result. It uses
// hardly any CPU, so that the cost of the code around it can be measured.

import type { Message, Provider, StreamEvent } from '../../src/index.ts';

export interface MemoryModel extends Provider {
  /** The size of the largest conversation since the last call, in bytes. */
  takeLargest(): number;
}

export function createMemoryModel(words: number, isMeasuring = false): MemoryModel {
  let largest = 0;
  let calls = 0;
  return {
    name: 'memory',
    open: ({ messages }) => {
      if (isMeasuring) largest = Math.max(largest, Buffer.byteLength(JSON.stringify(messages)));
      calls += 1;
      const events = endsWithToolResult(messages) ? textResponse(words) : toolCallResponse(`call_${calls}`, words);
      return Promise.resolve({
        target: 'memory',
        ended: Promise.resolve({ type: 'left', usage: { input: 0, output: 0 } }),
        [Symbol.asyncIterator]: () => read(events),
      });
    },
    takeLargest() {
      const taken = largest;
      largest = 0;
      return taken;
    },
  };
}

async function* read(events: readonly StreamEvent[]): AsyncGenerator<StreamEvent, void, undefined> {
  for (const event of events) yield event;
}

function endsWithToolResult(messages: readonly Message[]): boolean {
  return messages.at(-1)?.content[0]?.type === 'tool-result';
}

function textResponse(words: number): StreamEvent[] {
  return [start, ...textEvents(words), { type: 'message-end', stopReason: 'end', usage }];
}

function toolCallResponse(id: string, words: number): StreamEvent[] {
  return [
    start,
    ...textEvents(words),
    { type: 'tool-call-start', index: 1, id, name: 'look' },
    { type: 'tool-call-delta', index: 1, json: '{}' },
    { type: 'block-end', index: 1, block: { type: 'tool-call', id, name: 'look', input: {} } },
    { type: 'message-end', stopReason: 'tool-calls', usage },
  ];
}

const start: StreamEvent = { type: 'message-start', id: 'm1', model: 'memory' };
/** Missing, so that the agent trims by its own estimate of the size. */
const usage = { input: 0, output: 0, missing: true } as const;

function textEvents(words: number): StreamEvent[] {
  const deltas = Array.from({ length: words }, (): StreamEvent => ({ type: 'text-delta', index: 0, text: 'word ' }));
  return [...deltas, { type: 'block-end', index: 0, block: { type: 'text', text: 'word '.repeat(words) } }];
}
