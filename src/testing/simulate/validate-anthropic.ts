// Validates the body of an Anthropic request as the API does, with the same messages, before the wire decodes it. One rule
// is stricter on purpose: roles must alternate. The API joins consecutive messages of one role, but they are nearly always
// a mistake.

import { isRecord } from '../../core/json.ts';
import { findRefusal } from '../../wire/anthropic-messages/api-version.ts';
import { refuses } from '../../wire/model-rules.ts';
import { checkChoice, checkExtra, type AnthropicObject } from './anthropic-members.ts';
import { quote, throwApiError } from './api-error.ts';
import { checkMessages } from './validate-anthropic-messages.ts';

type AnthropicRequestBody = Readonly<Record<string, unknown>>;

const countingFields = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'speed',
  'context_management',
  'mcp_servers',
  'user_profile_id',
  'workspace_id',
];
const fields = [
  ...countingFields,
  'max_tokens',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
  'service_tier',
  'container',
  'diagnostics',
  'inference_geo',
];
const thinkingDocumentation = 'https://docs.claude.com/en/docs/build-with-claude/extended-thinking';
const mostCacheMarkers = 4;

export interface AnthropicValidation {
  /** The request counts tokens. */
  readonly counting?: boolean;
  /** Of the API. Amazon Bedrock has its own. */
  readonly version?: string;
}

export function validateAnthropic(body: unknown, { counting = false, version = '' }: AnthropicValidation = {}): void {
  if (!isRecord(body)) return throwApiError('Input should be a valid dictionary');
  const refusal = findRefusal(body, version);
  if (refusal !== undefined) return throwApiError(refusal.message);
  for (const name of Object.keys(body)) {
    if (!(counting ? countingFields : fields).includes(name)) throwApiError(`${name}: Extra inputs are not permitted`);
  }
  for (const name of counting ? ['model', 'messages'] : ['model', 'max_tokens', 'messages']) {
    if (body[name] === undefined) throwApiError(`${name}: Field required`);
  }
  checkModel(body['model']);
  if (!counting) checkLimit(body['max_tokens']);
  checkSampling(body);
  checkExtra(body['metadata'], 'metadata', 'metadata');
  checkChoice(body['service_tier'], 'service_tier');
  checkSystem(body['system']);
  const tools = checkTools(body['tools']);
  checkToolChoice(body, tools);
  checkThinking(body);
  checkFormat(body['output_config']);
  checkMessages(body['messages'], isRecord(body['thinking']) && body['thinking']['type'] === 'enabled');
  checkCacheMarkers(body);
  checkModelRules(body);
}

function checkModelRules(body: AnthropicRequestBody): void {
  const { thinking, tool_choice: choice } = body;
  const model = String(body['model']);
  const isForced = isRecord(choice) && (choice['type'] === 'any' || choice['type'] === 'tool');
  if (isForced && refuses(model, 'forced-tool')) throwApiError(forcedToolMessage);
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const isUsual = [undefined, null, 1].includes(body[name] as number) && name !== 'top_k';
    const isSet = body[name] !== undefined && body[name] !== null;
    if (isSet && !isUsual && refuses(model, 'sampling')) throwApiError(`\`${name}\` is deprecated for this model.`);
  }
  const { type }: Record<string, unknown> = isRecord(thinking) ? thinking : {};
  if (type === 'enabled' && refuses(model, 'thinking-budget')) {
    throwApiError(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  }
  if (type === 'disabled' && refuses(model, 'no-thinking'))
    throwApiError('"thinking.type.disabled" is not supported for this model.');
}

export const forcedToolMessage = 'tool_choice: type "tool" and "any" are not supported for this model.';

function checkModel(model: unknown): void {
  if (typeof model !== 'string') return throwApiError('model: Input should be a valid string');
  if (model === '') return throwApiError('model: String should have at least 1 character');
  if (model.startsWith('unknown')) return throwApiError(`model: ${model}`, { kind: 'not-found' });
}

function checkLimit(limit: unknown): void {
  if (!Number.isInteger(limit)) return throwApiError('max_tokens: Input should be a valid integer');
  if ((limit as number) < 1) return throwApiError('max_tokens: Input should be greater than or equal to 1');
}

function checkSampling(body: AnthropicRequestBody): void {
  for (const name of ['temperature', 'top_p']) {
    const value = body[name] ?? 0;
    if (typeof value !== 'number') throwApiError(`${name}: Input should be a valid number`);
    else if (value < 0 || value > 1) throwApiError(`${name}: range: 0..1`);
  }
  const { stream, stop_sequences: stops = [], top_k: topK } = body;
  if (topK !== undefined && (!Number.isInteger(topK) || (topK as number) < 0))
    return throwApiError('top_k: Input should be greater than or equal to 0');
  if (stream !== undefined && typeof stream !== 'boolean')
    return throwApiError('stream: Input should be a valid boolean');
  if (!Array.isArray(stops)) return throwApiError('stop_sequences: Input should be a valid list');
  for (const [index, stop] of stops.entries()) {
    if (typeof stop !== 'string') throwApiError(`stop_sequences.${index}: Input should be a valid string`);
    else if (stop.trim() === '') throwApiError('stop_sequences: each stop sequence must contain non-whitespace');
  }
}

function checkSystem(system: unknown): void {
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) return throwApiError('system: Input should be a valid list');
  for (const [index, block] of system.entries()) {
    if (!isRecord(block) || block['type'] !== 'text') throwApiError(`system.${index}.type: Input should be 'text'`);
    else if (typeof block['text'] !== 'string') throwApiError(`system.${index}.text: Field required`);
    else if (block['text'] === '') throwApiError('system: text content blocks must be non-empty');
    checkExtra(block, 'text', `system.${index}`);
  }
}

/** Returns the names of the tools. */
function checkTools(tools: unknown = []): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  if (!Array.isArray(tools)) return throwApiError('tools: Input should be a valid list');
  for (const [index, tool] of tools.entries()) {
    if (!isRecord(tool)) return throwApiError(`tools.${index}: Input should be a valid dictionary`);
    if ((tool['type'] ?? 'custom') === 'custom') checkCustomTool(tool, `tools.${index}.custom`);
    if (names.has(tool['name'])) throwApiError('tools: Tool names must be unique.');
    names.add(tool['name']);
  }
  return names;
}

function checkCustomTool(tool: AnthropicRequestBody, path: string): void {
  const { name, input_schema: schema } = tool;
  checkExtra(tool, 'custom', path);
  if (name === undefined) return throwApiError(`${path}.name: Field required`);
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/u.test(name)) {
    return throwApiError(`${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
  if (schema === undefined) return throwApiError(`${path}.input_schema: Field required`);
  if (!isRecord(schema)) return throwApiError(`${path}.input_schema: Input should be a valid dictionary`);
  if (schema['type'] === undefined) return throwApiError(`${path}.input_schema.type: Field required`);
  if (schema['type'] !== 'object') return throwApiError(`${path}.input_schema.type: Input should be 'object'`);
}

function checkToolChoice({ tool_choice: choice, tools }: AnthropicRequestBody, names: ReadonlySet<unknown>): void {
  if (choice === undefined || choice === null) return;
  if (!isRecord(choice)) return throwApiError('tool_choice: Input should be a valid dictionary');
  if (!['auto', 'any', 'tool', 'none'].includes(choice['type'] as string)) {
    return throwApiError(
      `tool_choice: Input tag '${quote(choice['type'])}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    );
  }
  const object = `tool_choice.${choice['type'] as string}` as AnthropicObject;
  checkExtra(choice, object, object);
  if (!Array.isArray(tools) || tools.length === 0)
    return throwApiError('tool_choice may only be specified while providing tools');
  if (choice['type'] !== 'tool') return;
  if (typeof choice['name'] !== 'string') return throwApiError('tool_choice.tool.name: Field required');
  if (!names.has(choice['name'])) return throwApiError(`Tool '${choice['name']}' not found in provided tools`);
}

function checkThinking(body: AnthropicRequestBody): void {
  const { thinking, max_tokens: limit, temperature = 1, tool_choice: choice } = body;
  if (thinking === undefined || thinking === null) return;
  if (!isRecord(thinking)) return throwApiError('thinking: Input should be a valid dictionary');
  const { type, budget_tokens: budget } = thinking;
  if (!['enabled', 'disabled', 'adaptive'].includes(type as string)) {
    return throwApiError(
      `thinking: Input tag '${quote(type)}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'`,
    );
  }
  const object = `thinking.${type as string}` as AnthropicObject;
  checkExtra(thinking, object, object);
  checkChoice(thinking['display'], 'thinking.display');
  if (type === 'disabled') return;
  if (type === 'enabled') checkBudget(budget, limit);
  if (temperature !== 1) {
    return throwApiError(
      `\`temperature\` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at ${thinkingDocumentation}#important-considerations-when-using-extended-thinking`,
    );
  }
  if (isRecord(choice) && (choice['type'] === 'any' || choice['type'] === 'tool')) {
    return throwApiError('Thinking may not be enabled when tool_choice forces tool use.');
  }
}

function checkBudget(budget: unknown, limit: unknown): void {
  if (budget === undefined) return throwApiError('thinking.enabled.budget_tokens: Field required');
  if (!Number.isInteger(budget))
    return throwApiError('thinking.enabled.budget_tokens: Input should be a valid integer');
  if ((budget as number) < 1024) {
    return throwApiError('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  if (typeof limit === 'number' && (budget as number) >= limit) {
    return throwApiError(
      `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${thinkingDocumentation}#max-tokens-and-context-window-size`,
    );
  }
}

function checkFormat(config: unknown): void {
  if (config === undefined || config === null) return;
  if (!isRecord(config)) return throwApiError('output_config: Input should be a valid dictionary');
  checkExtra(config, 'output_config', 'output_config');
  checkChoice(config['effort'], 'output_config.effort');
  const { format } = config;
  checkExtra(format, 'output_config.format', 'output_config.format');
  if (format === undefined || format === null) return;
  if (!isRecord(format) || format['type'] !== 'json_schema') {
    return throwApiError("output_config.format.type: Input should be 'json_schema'");
  }
  if (!isRecord(format['schema'])) return throwApiError('output_config.format.schema: Field required');
  checkClosed(format['schema']);
}

function checkClosed(schema: unknown): void {
  if (Array.isArray(schema)) for (const part of schema) checkClosed(part);
  if (!isRecord(schema)) return;
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    throwApiError(
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    );
  }
  for (const [keyword, part] of Object.entries(schema)) {
    // The members of these keywords are named by the user, and each is a schema.
    if (keyword === 'properties' || keyword === '$defs')
      for (const member of Object.values(part ?? {})) checkClosed(member);
    else if (!['enum', 'const', 'default', 'examples'].includes(keyword)) checkClosed(part);
  }
}

function checkCacheMarkers(body: AnthropicRequestBody): void {
  const found = countMarkers([body, body['system'], body['tools'], body['messages']]);
  if (found > mostCacheMarkers) {
    throwApiError(`A maximum of ${mostCacheMarkers} blocks with cache_control may be provided. Found ${found}.`);
  }
}

/** Counts markers on the request, on tools, on blocks and on blocks inside a tool result, but not inside data. */
function countMarkers(items: unknown): number {
  if (!Array.isArray(items)) return 0;
  let found = 0;
  for (const item of items) {
    if (Array.isArray(item)) found += countMarkers(item);
    if (!isRecord(item)) continue;
    if (item['cache_control'] !== undefined && item['cache_control'] !== null)
      found += checkMarker(item['cache_control']);
    found += countMarkers(item['content']);
  }
  return found;
}

function checkMarker(marker: unknown): 1 {
  if (!isRecord(marker) || marker['type'] !== 'ephemeral')
    return throwApiError("cache_control.type: Input should be 'ephemeral'");
  checkExtra(marker, 'cache_control.ephemeral', 'cache_control.ephemeral');
  if (![undefined, null, '5m', '1h'].includes(marker['ttl'] as string)) {
    return throwApiError("cache_control.ephemeral.ttl: Input should be '5m' or '1h'");
  }
  return 1;
}
