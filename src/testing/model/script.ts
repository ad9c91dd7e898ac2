// A script: the replies of the simulated model. This file defines and validates it. `playback.ts` selects the reply to a
// request.

import { omitUndefined, type JsonValue } from '../../core/json.ts';
import type { StopReason } from '../../core/event.ts';
import type { Usage } from '../../core/usage.ts';
import { readFault, type Fault } from './fault.ts';
import {
  booleanReader,
  choiceReader,
  integerReader,
  jsonReader,
  listReader,
  objectReader,
  failAt,
  stringReader,
  type Reader,
} from './reader.ts';

export interface Script {
  readonly replies: readonly ScriptedReply[];
  /** For a request without a matching reply: an error (the default), or the model's own reply. */
  readonly otherwise?: 'error' | 'reply';
}

/** Sent exactly as written. For a reply without content (for example only a fault), the model composes its own. */
export interface ScriptedReply {
  /** In JSON, a string means `{ contains: string }`. Replies without a match are used in order. */
  readonly match?: Match;
  /** How many requests it is used for. Default: any number with a match, one without. */
  readonly times?: number;
  readonly reasoning?: string;
  readonly text?: string;
  /** A JSON value, sent as text. */
  readonly json?: JsonValue;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** The content in exact order, instead of the four above. */
  readonly blocks?: readonly ScriptedBlock[];
  /** Stream the fragments of several tool calls interleaved. */
  readonly interleave?: boolean;
  readonly stopReason?: StopReason;
  /** Token counts to report instead of the estimated ones. */
  readonly usage?: Partial<Omit<Usage, 'missing'>>;
  /** The model name in the response. */
  readonly model?: string;
  readonly delayMs?: number;
  readonly fault?: Fault;
}

/** All given conditions must hold. Matching ignores case. */
export interface Match {
  /** In the text of the last message and of its tool results. */
  readonly contains?: string;
  /** On the same text. */
  readonly regex?: string;
  /** The requested model, exactly. */
  readonly model?: string;
  /** `tool`: the last message contains tool results. */
  readonly lastRole?: 'user' | 'assistant' | 'tool';
  /** In the system messages. */
  readonly system?: string;
  /** A tool of this name is offered. */
  readonly tool?: string;
}

export interface ScriptedToolCall {
  readonly name: string;
  readonly id?: string;
  readonly input?: JsonValue;
  /** The arguments as text, instead of `input`. Need not be JSON. */
  readonly rawInput?: string;
}

export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'json'; readonly value: JsonValue }
  | ({ readonly type: 'tool-call' } & ScriptedToolCall);

const stopReasons = ['end', 'length', 'tool-calls', 'stop-sequence', 'refusal', 'pause'] as const;
const lastRoles = ['user', 'assistant', 'tool'] as const;
const contentNames = ['reasoning', 'text', 'json', 'toolCalls'] as const;
const tokens = integerReader(0);

const readMatchFields = objectReader<Match>({
  contains: stringReader,
  regex: readRegex,
  model: stringReader,
  lastRole: choiceReader(lastRoles),
  system: stringReader,
  tool: stringReader,
});

const readUsage = objectReader<NonNullable<ScriptedReply['usage']>>({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  reasoning: tokens,
});

const toolCallFields = { name: stringReader, id: stringReader, input: jsonReader, rawInput: stringReader };
const readToolCallFields = objectReader<ScriptedToolCall>(toolCallFields, ['name']);

const readToolCall: Reader<ScriptedToolCall> = (value, path) => checkInput(readToolCallFields(value, path), path);

const blockType = { type: stringReader as Reader<never> };
const blockReaders: Readonly<Record<ScriptedBlock['type'], Reader<ScriptedBlock>>> = {
  text: objectReader<Extract<ScriptedBlock, { type: 'text' }>>({ ...blockType, text: stringReader }, ['text']),
  reasoning: objectReader<Extract<ScriptedBlock, { type: 'reasoning' }>>({ ...blockType, text: stringReader }, [
    'text',
  ]),
  json: objectReader<Extract<ScriptedBlock, { type: 'json' }>>({ ...blockType, value: jsonReader }, ['value']),
  'tool-call': (value, path) => checkInput(readToolCallBlock(value, path), path),
};
const readToolCallBlock = objectReader<Extract<ScriptedBlock, { type: 'tool-call' }>>(
  { ...blockType, ...toolCallFields },
  ['name'],
);
const readBlockType = choiceReader(Object.keys(blockReaders) as ScriptedBlock['type'][]);

const readReplyFields = objectReader<ScriptedReply>({
  match: readMatch,
  times: integerReader(1),
  reasoning: stringReader,
  text: stringReader,
  json: jsonReader,
  toolCalls: listReader(readToolCall),
  blocks: listReader(readBlock),
  interleave: booleanReader,
  stopReason: choiceReader(stopReasons),
  usage: readUsage,
  model: stringReader,
  delayMs: integerReader(0, 2 ** 31 - 1),
  fault: readFault,
});

const readScript = objectReader<Script>(
  { replies: listReader(readReply), otherwise: choiceReader(['error', 'reply'] as const) },
  ['replies'],
);

/** Validates a parsed JSON document. Throws `bad-request` naming the field: `replies[2].toolCalls[0].name: …`. */
export function parseScript(document: unknown): Script {
  return readScript(document, '');
}

/** The content in order; undefined if the model composes it. */
export function contentOf(reply: ScriptedReply): readonly ScriptedBlock[] | undefined {
  if (reply.blocks !== undefined) return reply.blocks;
  if (contentNames.every((name) => reply[name] === undefined)) return undefined;
  const blocks: ScriptedBlock[] = [];
  if (reply.reasoning !== undefined) blocks.push({ type: 'reasoning', text: reply.reasoning });
  if (reply.text !== undefined) blocks.push({ type: 'text', text: reply.text });
  if (reply.json !== undefined) blocks.push({ type: 'json', value: reply.json });
  for (const call of reply.toolCalls ?? []) blocks.push({ type: 'tool-call', ...call });
  return blocks;
}

function readReply(value: unknown, path: string): ScriptedReply {
  const reply = readReplyFields(value, path);
  const clash = reply.blocks === undefined ? undefined : contentNames.find((name) => reply[name] !== undefined);
  if (clash !== undefined)
    return failAt(`${path}.${clash}`, 'cannot be combined with blocks; add it to the list of blocks');
  if (Object.keys(reply).every((name) => name === 'match' || name === 'times')) {
    return failAt(path, 'has no content; add text, json, toolCalls, blocks or a fault');
  }
  return reply;
}

function readMatch(value: unknown, path: string): Match {
  if (typeof value === 'string') return { contains: value };
  const match = readMatchFields(value, path);
  return Object.keys(match).length > 0
    ? omitUndefined(match)
    : failAt(path, 'is empty; leave it out to reply in order');
}

function readBlock(value: unknown, path: string): ScriptedBlock {
  const type = readBlockType((value as { type?: unknown } | null | undefined)?.type, `${path}.type`);
  return blockReaders[type](value, path);
}

function checkInput<T extends ScriptedToolCall>(call: T, path: string): T {
  if (call.input !== undefined && call.rawInput !== undefined) {
    return failAt(`${path}.rawInput`, 'cannot be combined with input; remove one of them');
  }
  return call;
}

function readRegex(value: unknown, path: string): string {
  const pattern = stringReader(value, path);
  try {
    return new RegExp(pattern, 'iu').source;
  } catch (error) {
    return failAt(path, `is not a regular expression: ${(error as SyntaxError).message}`);
  }
}
