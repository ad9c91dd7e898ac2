// The members of each object in an Anthropic request, and the values of those with a fixed set. The API refuses every
// other one. The names are those of the official package's types.

import { isRecord } from '../../core/json.ts';
import { quote, throwApiError } from './api-error.ts';

const marker = 'cache_control';

/** By the tag that the API writes in the path of an error. */
const members = {
  text: ['type', 'text', 'citations', marker],
  image: ['type', 'source', 'transformations', marker],
  document: ['type', 'source', 'title', 'context', 'citations', marker],
  search_result: ['type', 'source', 'title', 'content', 'citations', marker],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'caller', 'toolset_name', marker],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'toolset_name', marker],
  'source.base64': ['type', 'media_type', 'data'],
  'source.url': ['type', 'url'],
  'source.file': ['type', 'file_id'],
  'source.text': ['type', 'media_type', 'data'],
  'source.content': ['type', 'content'],
  custom: [
    'type',
    'name',
    'description',
    'input_schema',
    'strict',
    'allowed_callers',
    'defer_loading',
    'eager_input_streaming',
    'input_examples',
    marker,
  ],
  'tool_choice.auto': ['type', 'disable_parallel_tool_use'],
  'tool_choice.any': ['type', 'disable_parallel_tool_use'],
  'tool_choice.tool': ['type', 'name', 'disable_parallel_tool_use'],
  'tool_choice.none': ['type'],
  'thinking.enabled': ['type', 'budget_tokens', 'display'],
  'thinking.adaptive': ['type', 'display'],
  'thinking.disabled': ['type'],
  output_config: ['effort', 'format', 'task_budget'],
  'output_config.format': ['type', 'schema'],
  metadata: ['user_id'],
  // A beta has the scope.
  'cache_control.ephemeral': ['type', 'ttl', 'scope'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type AnthropicObject = keyof typeof members;

export function isKnownObject(name: string): name is AnthropicObject {
  return Object.hasOwn(members, name);
}

/** `path`: where the API says that the member is, with its tag. */
export function checkExtra(value: unknown, object: AnthropicObject, path: string): void {
  if (!isRecord(value)) return;
  const known: readonly string[] = members[object];
  const extra = Object.keys(value).find((name) => !known.includes(name));
  if (extra !== undefined) throwApiError(`${path}.${extra}: Extra inputs are not permitted`);
}

const choices = {
  'output_config.effort': ['low', 'medium', 'high', 'xhigh', 'max'],
  service_tier: ['auto', 'standard_only'],
  'thinking.display': ['summarized', 'omitted'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export function checkChoice(value: unknown, path: keyof typeof choices): void {
  const allowed: readonly string[] = choices[path];
  if (value === undefined || value === null || allowed.includes(value as string)) return;
  const list = allowed.map((item) => `'${item}'`);
  throwApiError(`${path}: Input should be ${list.slice(0, -1).join(', ')} or ${list.at(-1)}, not '${quote(value)}'`);
}
