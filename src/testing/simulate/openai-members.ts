// The members of each object in a request of OpenAI's two APIs, which refuse every other one. The names are those of the
// official package's types. Chat messages are not in the table: clients that work with the API, such as litellm, send
// members of their own there.

import { isRecord } from '../../core/json.ts';
import { throwApiError } from './api-error.ts';

const breakpoint = 'prompt_cache_breakpoint';
const item = ['type', 'id', 'status'];
const called = [...item, 'call_id', 'name', 'namespace', 'caller'];

const members = {
  'chat.text': ['type', 'text', breakpoint, 'cache_control'],
  'chat.refusal': ['type', 'refusal'],
  'chat.image_url': ['type', 'image_url', breakpoint, 'cache_control'],
  'chat.input_audio': ['type', 'input_audio', breakpoint, 'cache_control'],
  'chat.file': ['type', 'file', breakpoint, 'cache_control'],
  image_url: ['url', 'detail'],
  input_audio: ['data', 'format'],
  file: ['file_data', 'file_id', 'filename'],
  tool_call: ['id', 'type', 'function', 'custom', 'index', 'extra_content'],
  'chat.tool': ['type', 'function', 'custom', 'cache_control'],
  function: ['name', 'description', 'parameters', 'strict'],
  'function.call': ['name', 'arguments'],
  stream_options: ['include_usage', 'include_obfuscation'],
  response_format: ['type', 'json_schema'],
  json_schema: ['name', 'description', 'schema', 'strict'],
  message: [...item, 'role', 'content', 'phase'],
  function_call: [...called, 'arguments', 'async', 'parsed_arguments'],
  custom_tool_call: [...called, 'input'],
  function_call_output: [...called, 'output'],
  custom_tool_call_output: [...called, 'output'],
  // Known to be refused with a status.
  reasoning: ['type', 'id', 'summary', 'content', 'encrypted_content'],
  input_text: ['type', 'text', breakpoint],
  input_image: ['type', 'detail', 'file_id', 'image_url', breakpoint],
  input_file: ['type', 'detail', 'file_data', 'file_id', 'file_url', 'filename', breakpoint],
  // `parsed` and `parsed_arguments` are what the official packages add to a response, which users send back.
  output_text: ['type', 'text', 'annotations', 'logprobs', 'parsed'],
  refusal: ['type', 'refusal'],
  'responses.function': [
    'type',
    'name',
    'description',
    'parameters',
    'strict',
    'allowed_callers',
    'async',
    'defer_loading',
    'output_schema',
  ],
  text: ['format', 'verbosity'],
  'text.format': ['type', 'name', 'description', 'schema', 'strict'],
  'reasoning.options': ['effort', 'summary', 'generate_summary', 'context', 'mode'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type OpenaiObject = keyof typeof members;

/** An object that is not in the table is not checked. */
export function checkUnknown(value: unknown, object: string, path: string): void {
  if (!isRecord(value) || !Object.hasOwn(members, object)) return;
  const known: readonly string[] = members[object as OpenaiObject];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const field = `${path}.${unknown}`;
  throwApiError(`Unknown parameter: '${field}'.`, { field, code: 'unknown_parameter' });
}
