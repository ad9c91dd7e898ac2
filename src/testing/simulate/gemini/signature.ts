// The signatures of thinking in the simulated Gemini API: who gets them, and who must send them back.

import { toBase64 } from '../../../core/base64.ts';
import type { StreamEvent } from '../../../core/event.ts';
import { isRecord } from '../../../core/json.ts';
import { wireName } from '../../../wire/gemini/types.ts';

const signature = 'c2ltdWxhdGVkIHNpZ25hdHVyZQ==';

/** Since version 3, the first call of a response has a signature, and the API requires it back. */
export function needsSignatures(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d)/.test(model);
}

/** The model's signatures are text, and those of the API are bytes. */
export function asBytes(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return events.map((event) => {
    if (event.type !== 'block-end' || event.block.type !== 'reasoning' || !event.block.signature) return event;
    return { ...event, block: { ...event.block, signature: toBase64(event.block.signature) } };
  });
}

export function withSignature(events: readonly StreamEvent[], model: string): readonly StreamEvent[] {
  const first = events.findIndex((event) => event.type === 'tool-call-start');
  const call = events[first];
  const before = events[first - 1];
  const isSigned = before?.type === 'block-end' && before.block.type === 'reasoning' && before.block.signature;
  if (call?.type !== 'tool-call-start' || isSigned || !needsSignatures(model)) return events;
  const block = { type: 'reasoning', text: '', signature, origin: { wire: wireName } } as const;
  const { index } = call;
  const moved = events.map((event) =>
    'index' in event && event.index >= index ? { ...event, index: event.index + 1 } : event,
  );
  return [...moved.slice(0, first), { type: 'block-end', index, block }, ...moved.slice(first)];
}

/** Thoughts are shown only on request. Their signature is always sent. */
export function selectThoughts(events: readonly StreamEvent[], body: unknown): readonly StreamEvent[] {
  if (includesThoughts(body)) return events;
  return events.flatMap((event): StreamEvent[] => {
    if (event.type === 'reasoning-delta') return [];
    if (event.type !== 'block-end' || event.block.type !== 'reasoning') return [event];
    return [{ ...event, block: { ...event.block, text: '' } }];
  });
}

function includesThoughts(body: unknown): boolean {
  const config = isRecord(body) ? body['generationConfig'] : undefined;
  const thinking = isRecord(config) ? config['thinkingConfig'] : undefined;
  return isRecord(thinking) && thinking['includeThoughts'] === true;
}
