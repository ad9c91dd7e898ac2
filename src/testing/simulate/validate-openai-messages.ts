// Validates the messages of an OpenAI chat-completions request as the API does: roles, content parts, and that results for
// all tool calls come before any other message.

import { isRecord } from '../../core/json.ts';
import { quote, throwApiError } from './api-error.ts';
import { isBase64 } from './base64-value.ts';
import { checkUnknown } from './openai-members.ts';
import { expectFileData, expectList, expectString, missing, typeError } from './validate-openai-value.ts';

type MessageRecord = Readonly<Record<string, unknown>>;

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];
const partTypes = ['text', 'image_url', 'input_audio', 'refusal', 'audio', 'file'];
const imageTypes = /^data:image\/(?:png|jpe?g|gif|webp);base64,(.*)$/su;

export function checkMessages(messages: unknown): void {
  /** The ids of calls without a result. */
  let open: Set<unknown> | undefined;
  let callIds: ReadonlySet<unknown> = new Set();
  const list = expectList(messages, 'messages');
  for (const [index, message] of list.entries()) {
    if (!isRecord(message)) return typeError(`messages[${index}]`, 'an object', message);
    checkRole(message['role'], index);
    if (message['role'] === 'tool') {
      checkResult(message, index, { callIds, open });
      open?.delete(message['tool_call_id']);
      continue;
    }
    checkAllAnswered(open, index);
    callIds = message['role'] === 'assistant' ? checkAssistant(message, index) : checkPlainMessage(message, index);
    open = new Set(callIds);
  }
  checkAllAnswered(open, list.length - 1);
}

export function mentionsJson(messages: unknown): boolean {
  return /json/iu.test(JSON.stringify(messages));
}

function checkRole(role: unknown, index: number): void {
  if (role === undefined) return missing(`messages[${index}].role`);
  if (roles.includes(role as string)) return;
  throwApiError(
    `Invalid value: '${quote(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
    { field: `messages[${index}].role`, code: 'invalid_value' },
  );
}

interface PendingCalls {
  readonly callIds: ReadonlySet<unknown>;
  readonly open: ReadonlySet<unknown> | undefined;
}

function checkResult(message: MessageRecord, index: number, { callIds, open }: PendingCalls): void {
  const id = expectString(message['tool_call_id'], `messages[${index}].tool_call_id`);
  checkContent(message, index);
  if (callIds.size === 0) {
    return throwApiError(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { field: `messages.[${index}].role` },
    );
  }
  if (callIds.has(id) && open?.has(id) === true) return;
  throwApiError(`Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`, {
    field: `messages.[${index}].tool_call_id`,
  });
}

function checkAllAnswered(open: ReadonlySet<unknown> | undefined, index: number): void {
  if (open === undefined || open.size === 0) return;
  throwApiError(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    { field: `messages.[${index}].role` },
  );
}

function checkPlainMessage(message: MessageRecord, index: number): ReadonlySet<unknown> {
  if (message['content'] === undefined) return missing(`messages[${index}].content`);
  if (message['content'] === null) return nullContent(index);
  checkContent(message, index);
  return new Set();
}

/** Returns the ids of the message's tool calls. */
function checkAssistant(message: MessageRecord, index: number): ReadonlySet<unknown> {
  const { content, tool_calls: calls, refusal, audio } = message;
  const isSilent = [content, refusal, audio, message['function_call']].every(
    (part) => part === undefined || part === null,
  );
  if (calls === undefined || calls === null) {
    if (isSilent) return nullContent(index);
    checkContent(message, index);
    return new Set();
  }
  checkContent(message, index);
  const path = `messages[${index}].tool_calls`;
  const ids = expectList(calls, path).map((call, position) => checkCall(call, `${path}[${position}]`));
  return new Set(ids);
}

function checkCall(call: unknown, path: string): string {
  if (!isRecord(call)) return typeError(path, 'an object', call);
  const id = expectString(call['id'], `${path}.id`);
  if (call['type'] === undefined) return missing(`${path}.type`);
  checkUnknown(call, 'tool_call', path);
  if (call['type'] === 'custom') return id;
  const { function: called } = call;
  if (!isRecord(called)) return missing(`${path}.function`);
  checkUnknown(called, 'function.call', `${path}.function`);
  expectString(called['name'], `${path}.function.name`);
  expectString(called['arguments'], `${path}.function.arguments`);
  return id;
}

function nullContent(index: number): never {
  return throwApiError("Invalid value for 'content': expected a string, got null.", {
    field: `messages.[${index}].content`,
  });
}

function checkContent({ role, content }: MessageRecord, index: number): void {
  const path = `messages[${index}].content`;
  if (content === undefined || content === null || typeof content === 'string') return;
  if (!Array.isArray(content)) return typeError(path, 'one of a string or array of objects', content);
  for (const [position, part] of expectList(content, path).entries()) {
    if (!isRecord(part)) typeError(`${path}[${position}]`, 'an object', part);
    else checkPart(part, `${path}[${position}]`, { role, index });
  }
}

function checkPart(part: MessageRecord, path: string, { role, index }: { role: unknown; index: number }): void {
  const { type } = part;
  if (type === undefined) return missing(`${path}.type`);
  if (!partTypes.includes(type as string)) {
    return throwApiError(
      `Invalid value: '${quote(type)}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.`,
      { field: `${path}.type`, code: 'invalid_value' },
    );
  }
  checkUnknown(part, `chat.${type as string}`, path);
  checkUnknown(part[type as string], type as string, `${path}.${type as string}`);
  if (type === 'text') expectString(part['text'], `${path}.text`);
  checkPlace(type as string, path, role);
  if (type === 'input_audio') checkAudio(part['input_audio'], `${path}.input_audio`);
  if (type === 'file') checkFile(part['file'], `${path}.file`);
  if (type !== 'image_url') return;
  if (role !== 'user') {
    return throwApiError(
      `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${quote(role)}' contains an image URL.`,
      { field: `messages[${index}]`, code: 'invalid_value' },
    );
  }
  checkImage(part['image_url'], `${path}.image_url`);
}

/** Images have a message of their own. */
function checkPlace(type: string, path: string, role: unknown): void {
  const allowed = role === 'user' ? partTypes : role === 'assistant' ? ['text', 'refusal'] : ['text'];
  if (allowed.includes(type) || type === 'image_url') return;
  const list = allowed.map((name) => `'${name}'`).join(' and ');
  throwApiError(`Invalid value: '${type}'. Supported values are: ${list}.`, {
    field: `${path}.type`,
    code: 'invalid_value',
  });
}

function checkFile(file: unknown, path: string): void {
  if (!isRecord(file)) return missing(path);
  if (file['file_id'] === undefined && file['file_data'] === undefined) return missing(`${path}.file_id`);
  expectFileData(file['file_data'], `${path}.file_data`);
}

function checkImage(image: unknown, path: string): void {
  if (image === undefined) return missing(path);
  if (!isRecord(image)) return typeError(path, 'an object', image);
  const url = expectString(image['url'], `${path}.url`);
  if (![undefined, null, 'auto', 'low', 'high'].includes(image['detail'] as string)) {
    throwApiError(`Invalid value: '${quote(image['detail'])}'. Supported values are: 'low', 'high', and 'auto'.`, {
      field: `${path}.detail`,
      code: 'invalid_value',
    });
  }
  if (/^https?:\/\/\S+$/u.test(url)) return;
  const data = imageTypes.exec(url)?.[1];
  if (isBase64(data)) return;
  const problem = data === undefined ? 'unsupported image' : 'an invalid base64-encoded value';
  throwApiError(
    url.startsWith('data:')
      ? `Invalid '${path}.url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${problem}.`
      : `Invalid '${path}.url'. Expected a valid URL, but got a value with an invalid format.`,
    { field: `${path}.url`, code: 'invalid_value' },
  );
}

function checkAudio(audio: unknown, path: string): void {
  if (!isRecord(audio)) return missing(path);
  if (!isBase64(expectString(audio['data'], `${path}.data`))) {
    throwApiError(`Invalid '${path}.data'. Expected a base64-encoded value.`, {
      field: `${path}.data`,
      code: 'invalid_value',
    });
  }
  const format = expectString(audio['format'], `${path}.format`);
  if (format === 'wav' || format === 'mp3') return;
  throwApiError(`Invalid value: '${format}'. Supported values are: 'wav' and 'mp3'.`, {
    field: `${path}.format`,
    code: 'invalid_value',
  });
}
