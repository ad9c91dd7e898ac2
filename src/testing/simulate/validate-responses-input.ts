// Validates the input items of an OpenAI Responses request as the API does: roles, content parts, ids, and that every tool
// call has its output and every output its call.

import { isRecord } from '../../core/json.ts';
import { quote, throwApiError } from './api-error.ts';
import { dataOfUrl, isBase64 } from './base64-value.ts';
import { checkUnknown } from './openai-members.ts';
import { expectFileData, expectString, missing, typeError } from './validate-openai-value.ts';

type ItemRecord = Readonly<Record<string, unknown>>;

const roles = ['assistant', 'system', 'developer', 'user'];
const inputParts = ['input_text', 'input_image', 'input_file', 'input_audio'];
const outputParts = ['output_text', 'refusal'];

/** The prefix that the id of each kind of item must have. */
const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
};

export function checkResponsesInput(input: unknown): void {
  if (input === undefined || input === null || typeof input === 'string') return;
  if (!Array.isArray(input)) return typeError('input', 'one of a string or array of input items', input);
  const calls = new Map<unknown, string>();
  const results = new Set<unknown>();
  for (const [index, item] of input.entries()) {
    if (!isRecord(item)) return typeError(`input[${index}]`, 'an object', item);
    checkItem(item, `input[${index}]`, { calls, results });
  }
  const open = [...calls].find(([id]) => !results.has(id));
  if (open === undefined) return;
  throwApiError(`No tool output found for ${open[1].replace('_tool', ' tool').replace('_', ' ')} ${String(open[0])}.`, {
    field: 'input',
  });
}

interface SeenCalls {
  readonly calls: Map<unknown, string>;
  readonly results: Set<unknown>;
}

function checkItem(item: ItemRecord, path: string, { calls, results }: SeenCalls): void {
  const type = typeOf(item);
  checkId(item['id'], type, path);
  checkUnknown(item, type, path);
  switch (type) {
    case 'message':
      return checkMessage(item, path);
    case 'function_call':
    case 'custom_tool_call': {
      expectString(item['name'], `${path}.name`);
      const text = type === 'function_call' ? 'arguments' : 'input';
      expectString(item[text], `${path}.${text}`);
      calls.set(expectString(item['call_id'], `${path}.call_id`), type);
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      results.add(checkOutput(item, path, calls));
      return;
    case 'reasoning':
      if (!Array.isArray(item['summary'])) missing(`${path}.summary`);
      return;
    case 'item_reference':
      return throwApiError(`Item with id '${quote(item['id'])}' not found.`, { kind: 'not-found', field: 'input' });
    default:
  }
}

function typeOf({ type, role }: ItemRecord): string {
  if (typeof type === 'string') return type;
  return role === undefined ? 'item_reference' : 'message';
}

function checkId(id: unknown, type: string, path: string): void {
  const prefix = idPrefixes[type];
  if (id === undefined || id === null || prefix === undefined) return;
  const text = expectString(id, `${path}.id`);
  if (text.length > 64) {
    throwApiError(
      `Invalid '${path}.id': string too long. Expected a string with maximum length 64, but got a string with length ${text.length} instead.`,
      { field: `${path}.id`, code: 'string_above_max_length' },
    );
  }
  if (text.startsWith(prefix)) return;
  throwApiError(`Invalid '${path}.id': '${text}'. Expected an ID that begins with '${prefix}'.`, {
    field: `${path}.id`,
    code: 'invalid_value',
  });
}

function checkOutput(item: ItemRecord, path: string, calls: ReadonlyMap<unknown, string>): string {
  const id = expectString(item['call_id'], `${path}.call_id`);
  const { output } = item;
  if (output === undefined || output === null) return missing(`${path}.output`);
  if (typeof output !== 'string') checkParts(output, `${path}.output`, inputParts);
  const call = calls.get(id);
  const expected = String(item['type']).replace(/_output$/u, '');
  if (call === expected) return id;
  return throwApiError(`No tool call found for ${expected.replaceAll('_', ' ')} output with call_id ${id}.`, {
    field: 'input',
  });
}

function checkMessage(item: ItemRecord, path: string): void {
  const { role, content } = item;
  if (role === undefined) return missing(`${path}.role`);
  if (!roles.includes(role as string)) return invalid(role, `${path}.role`, roles);
  if (content === undefined || content === null) return missing(`${path}.content`);
  if (typeof content !== 'string')
    checkParts(content, `${path}.content`, role === 'assistant' ? outputParts : inputParts);
}

function checkParts(parts: unknown, path: string, types: readonly string[]): void {
  if (!Array.isArray(parts)) return typeError(path, 'one of a string or array of objects', parts);
  for (const [index, part] of parts.entries()) {
    const place = `${path}[${index}]`;
    if (!isRecord(part)) return typeError(place, 'an object', part);
    const { type } = part;
    if (type === undefined) return missing(`${place}.type`);
    if (!types.includes(type as string)) return invalid(type, `${place}.type`, types);
    checkUnknown(part, type as string, place);
    checkPart(part, place);
  }
}

function checkPart(part: ItemRecord, path: string): void {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      expectString(part['text'], `${path}.text`);
      return;
    case 'input_image':
      return checkImage(part, path);
    case 'input_file':
      if (['file_id', 'file_data', 'file_url'].every((name) => part[name] === undefined)) missing(`${path}.file_id`);
      expectFileData(part['file_data'], `${path}.file_data`);
      return;
    default:
  }
}

function checkImage(part: ItemRecord, path: string): void {
  if (typeof part['file_id'] === 'string') return;
  const url = expectString(part['image_url'], `${path}.image_url`);
  if (/^https?:\/\/\S+$/u.test(url)) return;
  if (/^data:image\/(?:png|jpe?g|gif|webp);base64,/u.test(url) && isBase64(dataOfUrl(url))) return;
  throwApiError(`Invalid '${path}.image_url'. Expected a valid URL, but got a value with an invalid format.`, {
    field: `${path}.image_url`,
    code: 'invalid_value',
  });
}

function invalid(value: unknown, field: string, supported: readonly string[]): never {
  const list = supported.map((item) => `'${item}'`).join(', ');
  return throwApiError(`Invalid value: '${quote(value)}'. Supported values are: ${list}.`, {
    field,
    code: 'invalid_value',
  });
}
