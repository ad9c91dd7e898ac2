// Lines of stream-json, the protocol of the claude CLI: one JSON object per line, in both directions. The message bodies
// have the format of the Anthropic Messages API. The types are lenient, because the format changes with every release:
// `parseLine` checks the members that we rely on, and all other members are kept.

import { isRecord } from '../core/json.ts';

export interface StreamJsonLine {
  readonly type: string;
  readonly [member: string]: unknown;
}

export type ParsedLine =
  | { readonly kind: 'line'; readonly line: StreamJsonLine; readonly isKnown: boolean }
  | { readonly kind: 'error'; readonly message: string };

/**
 * The member for what stream-json cannot express. Other programs ignore it. Our decoder reads it, so that
 * decode(encode(events)) = events.
 */
export const extensionMember = 'simple_agents';

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === 'string';
const isIndex: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isContent: Check = (value) => typeof value === 'string' || Array.isArray(value);

/** The members without which a line has no meaning. */
const lineMembers: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  assistant: { message: isRecord, 'message.content': Array.isArray },
  user: { message: isRecord, 'message.content': isContent },
  stream_event: { event: isRecord, 'event.type': isString },
  system: { subtype: isString },
  result: { subtype: isString },
  tool_progress: { tool_use_id: isString },
  control_request: { request_id: isString, request: isRecord, 'request.subtype': isString },
  control_response: { response: isRecord, 'response.subtype': isString, 'response.request_id': isString },
  control_cancel_request: { request_id: isString },
  keep_alive: {},
};

const requestMembers: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  can_use_tool: { 'request.tool_name': isString, 'request.input': isRecord },
};

const eventMembers: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  message_start: { 'event.message': isRecord },
  content_block_start: { 'event.index': isIndex, 'event.content_block': isRecord },
  content_block_delta: { 'event.index': isIndex, 'event.delta': isRecord },
  content_block_stop: { 'event.index': isIndex },
};

const blockMembers: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  text: { text: isString },
  thinking: { thinking: isString },
  tool_use: { id: isString, name: isString },
  tool_result: { tool_use_id: isString },
};

export function parseLine(text: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'error', message: `Malformed JSON: ${reason}. Line: ${text.slice(0, 100)}...` };
  }
  return checkLine(value);
}

export function checkLine(value: unknown): ParsedLine {
  if (!isRecord(value)) return { kind: 'error', message: 'A line must be a JSON object.' };
  const { type } = value;
  if (typeof type !== 'string') return { kind: 'error', message: `type: ${problemOf(type)}` };
  const line = value as unknown as StreamJsonLine;
  if (!Object.hasOwn(lineMembers, type)) return { kind: 'line', line, isKnown: false };
  const message = findProblem(line);
  return message === undefined ? { kind: 'line', line, isKnown: true } : { kind: 'error', message };
}

function findProblem(line: StreamJsonLine): string | undefined {
  const wrong =
    firstWrong(line, lineMembers[line.type]) ??
    (line.type === 'control_request'
      ? firstWrong(line, ownEntry(requestMembers, memberOf(line, 'request.subtype')))
      : undefined) ??
    (line.type === 'stream_event' ? firstWrong(line, ownEntry(eventMembers, memberOf(line, 'event.type'))) : undefined);
  if (wrong !== undefined) return `${line.type}: ${wrong} ${problemOf(memberOf(line, wrong))}`;
  const content = memberOf(line, 'message.content');
  return Array.isArray(content) ? findWrongBlock(line.type, content) : undefined;
}

function findWrongBlock(type: string, content: readonly unknown[]): string | undefined {
  for (const [index, block] of content.entries()) {
    const at = `${type}: message.content[${index}]`;
    if (!isRecord(block)) return `${at} must be an object`;
    if (typeof block['type'] !== 'string') return `${at}.type ${problemOf(block['type'])}`;
    const wrong = firstWrong(block, ownEntry(blockMembers, block['type']));
    if (wrong !== undefined) return `${at}.${wrong} ${problemOf(block[wrong])}`;
  }
  return undefined;
}

function firstWrong(value: object, members: Readonly<Record<string, Check>> = {}): string | undefined {
  return Object.keys(members).find((path) => members[path]?.(memberOf(value, path)) !== true);
}

function problemOf(value: unknown): string {
  return value === undefined ? 'is missing' : 'has the wrong type';
}

function ownEntry<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The member at a path such as `message.content`. */
function memberOf(value: object, path: string): unknown {
  let member: unknown = value;
  for (const name of path.split('.')) member = isRecord(member) ? member[name] : undefined;
  return member;
}

/** For members that may be missing or have another type. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function extensionOf(line: StreamJsonLine): Record<string, unknown> {
  return recordOf(line[extensionMember]);
}
