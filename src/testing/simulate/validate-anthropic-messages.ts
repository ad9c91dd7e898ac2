// Validates the messages of an Anthropic request as the API does: roles, content blocks, and that the next message has
// exactly one result for every tool call.

import { isRecord } from '../../core/json.ts';
import { signatureOf } from '../model/events.ts';
import { checkExtra, isKnownObject } from './anthropic-members.ts';
import { quote, throwApiError } from './api-error.ts';
import { isBase64 } from './base64-value.ts';

type ContentBlock = Readonly<Record<string, unknown>>;
interface ValidatedMessage {
  readonly role: string;
  readonly blocks: readonly ContentBlock[];
  readonly index: number;
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const blockTypes = [
  'bash_code_execution_tool_result',
  'code_execution_tool_result',
  'container_upload',
  'document',
  'image',
  'redacted_thinking',
  'search_result',
  'server_tool_use',
  'text',
  'text_editor_code_execution_tool_result',
  'thinking',
  'tool_result',
  'tool_search_tool_result',
  'tool_use',
  'web_fetch_tool_result',
  'web_search_tool_result',
];

export function checkMessages(messages: unknown, thinking: boolean): void {
  if (!Array.isArray(messages)) return throwApiError('messages: Input should be a valid list');
  if (messages.length === 0) return throwApiError('messages: at least one message is required');
  const turns = messages.map((message, index) => readMessage(message, index, index === messages.length - 1));
  checkRoles(turns.filter(({ role }) => role !== 'system'));
  for (const turn of turns) for (const [position, block] of turn.blocks.entries()) checkBlock(block, turn, position);
  checkToolUse(turns);
  checkLast(turns.at(-1)!);
  if (thinking) checkThinkingKept(turns);
}

function readMessage(message: unknown, index: number, isLast: boolean): ValidatedMessage {
  const path = `messages.${index}`;
  if (!isRecord(message)) return throwApiError(`${path}: Input should be a valid dictionary`);
  const { role, content } = message;
  for (const name of Object.keys(message)) {
    if (name !== 'role' && name !== 'content') throwApiError(`${path}.${name}: Extra inputs are not permitted`);
  }
  if (role === undefined) return throwApiError(`${path}.role: Field required`);
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    return throwApiError(`messages: Unexpected role "${quote(role)}". Allowed roles are "user" or "assistant"`);
  }
  if (content === undefined) return throwApiError(`${path}.content: Field required`);
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks)) return throwApiError(`${path}.content: Input should be a valid list`);
  const isEmpty = content === '' || blocks.length === 0;
  if (isEmpty && !(isLast && role === 'assistant')) {
    return throwApiError(
      `${path}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  const wrong = blocks.findIndex((block) => !isRecord(block));
  if (wrong >= 0) return throwApiError(`${path}.content.${wrong}: Input should be a valid dictionary`);
  return { role, blocks: isEmpty ? [] : (blocks as ContentBlock[]), index };
}

function checkRoles(turns: readonly ValidatedMessage[]): void {
  if (turns[0]?.role !== 'user') return throwApiError('messages: first message must use the "user" role');
  for (const [position, turn] of turns.entries()) {
    if (turn.role === turns[position - 1]?.role) {
      throwApiError(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${turn.role}" roles in a row`,
      );
    }
  }
}

function checkBlock(block: ContentBlock, { role, index }: ValidatedMessage, position: number): void {
  const { type } = block;
  const path = `messages.${index}.content.${position}`;
  if (type === undefined) return throwApiError(`${path}.type: Field required`);
  if (!blockTypes.includes(type as string)) {
    const tags = blockTypes.map((name) => `'${name}'`).join(', ');
    return throwApiError(
      `${path}: Input tag '${quote(type)}' found using 'type' does not match any of the expected tags: ${tags}`,
    );
  }
  if ((type === 'tool_use' || type === 'thinking') && role !== 'assistant') {
    return throwApiError(`${path}: \`${type}\` blocks can only be in \`assistant\` messages`);
  }
  if (type === 'tool_result' && role !== 'user') {
    return throwApiError(`${path}: \`tool_result\` blocks can only be in \`user\` messages`);
  }
  checkOne(block, `${path}.${type as string}`);
}

function checkOne(block: ContentBlock, path: string): void {
  const type = block['type'] as string;
  if (isKnownObject(type)) checkExtra(block, type, path);
  blockChecks[type]?.(block, path);
}

const blockChecks: Readonly<Record<string, (block: ContentBlock, path: string) => void>> = {
  text: checkText,
  image: checkImage,
  document: checkDocument,
  thinking: checkThinkingBlock,
  redacted_thinking: checkRedacted,
  tool_use: checkToolUseBlock,
  tool_result: checkToolResult,
};

function checkText(block: ContentBlock, path: string): void {
  if (typeof block['text'] !== 'string') return throwApiError(`${path}.text: Field required`);
  if (block['text'] === '') return throwApiError('messages: text content blocks must be non-empty');
  if (block['text'].trim() === '')
    return throwApiError('messages: text content blocks must contain non-whitespace text');
}

function checkImage(block: ContentBlock, path: string): void {
  const { source } = block;
  if (!isRecord(source)) return throwApiError(`${path}.source: Field required`);
  const { type, media_type: mediaType, data } = source;
  if (type !== 'base64' && type !== 'url' && type !== 'file') {
    return throwApiError(
      `${path}.source: Input tag '${quote(type)}' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'`,
    );
  }
  checkSource(source, path);
  if (type !== 'base64') return;
  if (!imageTypes.includes(mediaType as string)) {
    return throwApiError(
      `${path}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  }
  if (data === '') return throwApiError(`${path}.source.base64: image cannot be empty`);
  checkData(data, path);
}

const documentSources: Readonly<Record<string, string | undefined>> = {
  base64: 'application/pdf',
  text: 'text/plain',
  url: undefined,
  file: undefined,
  content: undefined,
};

function checkDocument({ source }: ContentBlock, path: string): void {
  if (!isRecord(source)) return throwApiError(`${path}.source: Field required`);
  const type = String(source['type']);
  if (!Object.hasOwn(documentSources, type)) {
    return throwApiError(
      `${path}.source: Input tag '${quote(source['type'])}' found using 'type' does not match any of the expected tags: 'base64', 'content', 'file', 'text', 'url'`,
    );
  }
  checkSource(source, path);
  const mediaType = documentSources[type];
  if (mediaType !== undefined && source['media_type'] !== mediaType)
    return throwApiError(`${path}.source.${type}.media_type: Input should be '${mediaType}'`);
  if (type === 'text' && typeof source['data'] !== 'string')
    return throwApiError(`${path}.source.text.data: Field required`);
  if (type === 'base64') checkData(source['data'], path);
}

/** What every kind of source needs. */
function checkSource(source: ContentBlock, path: string): void {
  const { type, url, file_id: id } = source;
  const object = `source.${type as string}`;
  if (isKnownObject(object)) checkExtra(source, object, `${path}.${object}`);
  if (type === 'url' && typeof url !== 'string') throwApiError(`${path}.source.url.url: Field required`);
  if (type === 'file' && typeof id !== 'string') throwApiError(`${path}.source.file.file_id: Field required`);
}

function checkData(data: unknown, path: string): void {
  if (typeof data !== 'string') return throwApiError(`${path}.source.base64.data: Field required`);
  if (!isBase64(data)) throwApiError(`${path}.source.base64.data: Invalid base64 data`);
}

/** Like the real API, checks the signature of a thinking block. */
function checkThinkingBlock({ thinking, signature }: ContentBlock, path: string): void {
  if (typeof thinking !== 'string') return throwApiError(`${path}.thinking: Field required`);
  if (typeof signature !== 'string') return throwApiError(`${path}.signature: Field required`);
  if (signature !== signatureOf(thinking)) {
    return throwApiError(`${path.replace(/\.thinking$/u, '')}: Invalid \`signature\` in \`thinking\` block`);
  }
}

function checkRedacted({ data }: ContentBlock, path: string): void {
  if (typeof data !== 'string') throwApiError(`${path}.data: Field required`);
}

function checkToolUseBlock({ id, name, input }: ContentBlock, path: string): void {
  if (typeof id !== 'string') return throwApiError(`${path}.id: Field required`);
  if (!/^[a-zA-Z0-9_-]+$/u.test(id)) return throwApiError(`${path}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (typeof name !== 'string') return throwApiError(`${path}.name: Field required`);
  if (name === '') return throwApiError(`${path}.name: String should have at least 1 character`);
  if (name.length > 200) return throwApiError(`${path}.name: String should have at most 200 characters`);
  if (input === undefined) return throwApiError(`${path}.input: Field required`);
  if (!isRecord(input)) return throwApiError(`${path}.input: Input should be a valid dictionary`);
}

function checkToolResult(block: ContentBlock, path: string): void {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (typeof id !== 'string') return throwApiError(`${path}.tool_use_id: Field required`);
  const isEmpty = content === undefined || content === '' || (Array.isArray(content) && content.length === 0);
  if (isError === true && isEmpty) return throwApiError(`${path}: content cannot be empty if \`is_error\` is true`);
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) return throwApiError(`${path}.content: Input should be a valid list`);
  for (const [position, part] of content.entries()) {
    const type = isRecord(part) ? part['type'] : undefined;
    if (!['text', 'image', 'document', 'search_result', 'tool_reference'].includes(type as string)) {
      return throwApiError(
        `${path}.content.${position}: Input tag '${quote(type)}' found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text', 'tool_reference'`,
      );
    }
    checkOne(part as ContentBlock, `${path}.content.${position}.${type as string}`);
  }
}

function checkToolUse(turns: readonly ValidatedMessage[]): void {
  const everyId = new Set<unknown>();
  for (const [position, turn] of turns.entries()) {
    const callIds = turn.role === 'assistant' ? idsOf(turn, 'tool_use', 'id') : [];
    for (const id of callIds) {
      if (everyId.has(id)) throwApiError('messages: `tool_use` ids must be unique');
      everyId.add(id);
    }
    checkCallsHaveResults(turn, callIds, turns[position + 1]);
    checkResultsHaveCalls(turn, turns[position - 1]);
  }
}

function checkCallsHaveResults(
  turn: ValidatedMessage,
  callIds: readonly unknown[],
  next: ValidatedMessage | undefined,
): void {
  const firstOther = next?.blocks.findIndex(({ type }) => type !== 'tool_result') ?? 0;
  // Results after other content do not count.
  const results = firstOther === -1 ? next?.blocks : next?.blocks.slice(0, firstOther);
  const resultIds = (results ?? []).map((block) => block['tool_use_id']);
  const missing = callIds.filter((id) => !resultIds.includes(id));
  if (missing.length === 0) return;
  throwApiError(
    `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResultsHaveCalls(turn: ValidatedMessage, previous: ValidatedMessage | undefined): void {
  const callIds = previous?.role === 'assistant' ? idsOf(previous, 'tool_use', 'id') : [];
  const seen = new Set<unknown>();
  for (const [position, block] of turn.blocks.entries()) {
    const id = block['tool_use_id'];
    if (block['type'] !== 'tool_result') continue;
    const path = `messages.${turn.index}.content.${position}`;
    if (!callIds.includes(id)) {
      throwApiError(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${quote(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id))
      throwApiError(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${quote(id)}`,
      );
    seen.add(id);
  }
}

function idsOf(turn: ValidatedMessage, type: string, name: string): unknown[] {
  return turn.blocks.filter((block) => block['type'] === type).map((block) => block[name]);
}

function checkLast({ role, blocks }: ValidatedMessage): void {
  const last = blocks.at(-1);
  if (role !== 'assistant' || last?.['type'] !== 'text') return;
  if (/\s$/u.test(last['text'] as string))
    throwApiError('messages: final assistant content cannot end with trailing whitespace');
}

/** A message with tool results requires the thinking block before the tool calls. */
function checkThinkingKept(turns: readonly ValidatedMessage[]): void {
  const last = turns.findLast(({ role }) => role === 'assistant');
  const answersTool = turns.at(-1)?.blocks.some(({ type }) => type === 'tool_result') === true;
  const first = last?.blocks[0]?.['type'];
  if (last === undefined || !answersTool || first === 'thinking' || first === 'redacted_thinking') return;
  throwApiError(
    `messages.${last.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${quote(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
  );
}
