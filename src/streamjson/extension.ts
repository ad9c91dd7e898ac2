// Agent events inside the extension member: those that stream-json has no line for, or only a less exact one. Decoding
// checks their shape, because the line may come from any program.

import type { AgentEvent } from '../agent/event.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { decodeFailure, encodeFailure } from './block.ts';

type MemberType = 'string' | 'number' | 'object';

const eventMembers: Readonly<Record<string, Readonly<Record<string, MemberType>>>> = {
  'turn-start': { prompt: 'object', model: 'string' },
  'model-event': { event: 'object' },
  'tool-start': { id: 'string', name: 'string' },
  'tool-output': { id: 'string', chunk: 'string' },
  'retry-wait': { attempt: 'number', limit: 'number', delay: 'number', error: 'object' },
  'stream-restart': { attempt: 'number' },
  'context-trim': {
    how: 'string',
    exchanges: 'number',
    messages: 'number',
    blocks: 'number',
    before: 'number',
    after: 'number',
  },
  notice: { kind: 'string', detail: 'string' },
  'turn-end': { reason: 'string', text: 'string', usage: 'object', iterations: 'number', duration: 'number' },
};

export function encodeEvent(event: AgentEvent): JsonObject {
  if (!('error' in event) || !(event.error instanceof SimpleAgentsError)) return event as unknown as JsonObject;
  return { ...(event as unknown as JsonObject), error: encodeFailure(event.error) };
}

/** Returns `undefined` if the value is not an event that we write. */
export function decodeEvent(value: unknown): AgentEvent | undefined {
  if (!isRecord(value) || typeof value['type'] !== 'string') return undefined;
  if (!Object.hasOwn(eventMembers, value['type'])) return undefined;
  const members = Object.entries(eventMembers[value['type']] ?? {});
  if (!members.every(([name, type]) => typeof value[name] === type && value[name] !== null)) return undefined;
  if (value['type'] === 'model-event' && !isNotice(value['event'])) return undefined;
  const event = value['error'] === undefined ? value : { ...value, error: decodeFailure(value['error']) };
  return event as unknown as AgentEvent;
}

/** The only event of a model that is in the extension. All others have lines. */
function isNotice(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'notice' && typeof value['detail'] === 'string';
}
