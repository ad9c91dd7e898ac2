// Validates the body of a Converse request as the API does, with the same messages where they are known, before it is
// decoded. Unknown members are errors, although the service ignores some of them: they are nearly always a mistake.

import { isRecord } from '../../../core/json.ts';
import { refuses } from '../../../wire/model-rules.ts';
import { throwApiError } from '../api-error.ts';
import { forcedToolMessage } from '../validate-anthropic.ts';
import { checkContent } from './validate-converse-content.ts';
import { checkChoice, checkMembers, checkNumber, fail, listAt, recordAt, type Members } from './validate-value.ts';

const fields = [
  'modelId',
  'stream',
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'guardrailConfig',
  'additionalModelRequestFields',
  'promptVariables',
  'additionalModelResponseFieldPaths',
  'requestMetadata',
  'performanceConfig',
  'serviceTier',
  'outputConfig',
];

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/u;

export function validateConverse(body: unknown): void {
  if (!isRecord(body)) return throwApiError('The request body is not valid JSON', { code: 'SerializationException' });
  checkMembers(body, fields, '');
  checkModel(String(body['modelId']));
  checkInference(body['inferenceConfig']);
  const names = checkTools(body['toolConfig']);
  checkModelRules(body);
  checkOutput(body['outputConfig']);
  checkSystem(body['system']);
  checkMessages(body['messages'], names);
}

/** The service passes the errors of the model on. */
function checkModelRules({ modelId, toolConfig, inferenceConfig }: Members): void {
  const model = String(modelId);
  const { any, tool } = membersOf(membersOf(toolConfig)['toolChoice']);
  const isForced = any !== undefined || tool !== undefined;
  if (isForced && refuses(model, 'forced-tool')) throwModelError(forcedToolMessage);
  const { temperature = 1, topP = 1 } = membersOf(inferenceConfig);
  if (temperature !== 1 && refuses(model, 'sampling')) throwModelError('`temperature` is deprecated for this model.');
  if (topP !== 1 && refuses(model, 'sampling')) throwModelError('`top_p` is deprecated for this model.');
}

function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

function throwModelError(message: string): never {
  return throwApiError(`The model returned the following errors: ${message}`);
}

export function checkModel(model: string): void {
  if (model.startsWith('unknown') || /\s/u.test(model) || model === '')
    throwApiError('The provided model identifier is invalid.');
}

function checkInference(value: unknown): void {
  if (value === undefined) return;
  const config = recordAt(value, 'inferenceConfig');
  checkMembers(config, ['maxTokens', 'temperature', 'topP', 'stopSequences'], 'inferenceConfig');
  checkNumber(config['maxTokens'], 'inferenceConfig.maxTokens', { minimum: 1, isInteger: true });
  checkNumber(config['temperature'], 'inferenceConfig.temperature', { minimum: 0, maximum: 1 });
  checkNumber(config['topP'], 'inferenceConfig.topP', { minimum: 0, maximum: 1 });
  for (const [index, stop] of listAt(config['stopSequences'] ?? [], 'inferenceConfig.stopSequences').entries()) {
    if (typeof stop !== 'string' || stop === '')
      fail(`inferenceConfig.stopSequences.${index}`, 'Member must have length greater than or equal to 1');
  }
}

/** Returns the names of the tools; undefined if the request has no tools. */
function checkTools(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined;
  const config = recordAt(value, 'toolConfig');
  checkMembers(config, ['tools', 'toolChoice'], 'toolConfig');
  const names = new Set<string>();
  const tools = listAt(config['tools'], 'toolConfig.tools');
  if (tools.length === 0) fail('toolConfig.tools', 'Member must have length greater than or equal to 1');
  for (const [index, tool] of tools.entries()) checkTool(tool, `toolConfig.tools.${index}`, names);
  checkToolChoice(config['toolChoice'], names);
  return names;
}

function checkTool(value: unknown, path: string, names: Set<string>): void {
  const tool = recordAt(value, path);
  checkMembers(tool, ['toolSpec', 'systemTool', 'cachePoint'], path);
  if (tool['toolSpec'] === undefined) return;
  const spec = recordAt(tool['toolSpec'], `${path}.toolSpec`);
  checkMembers(spec, ['name', 'description', 'inputSchema', 'strict'], `${path}.toolSpec`);
  const { name, description, inputSchema } = spec;
  if (typeof name !== 'string' || !namePattern.test(name))
    return fail(`${path}.toolSpec.name`, 'Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+');
  if (names.has(name)) throwApiError(`The tool name ${name} is already defined at toolConfig.tools.`);
  names.add(name);
  if (description === '') fail(`${path}.toolSpec.description`, 'Member must have length greater than or equal to 1');
  const { json } = recordAt(inputSchema, `${path}.toolSpec.inputSchema`);
  if (!isRecord(json) || json['type'] !== 'object') {
    throwApiError(`The value at ${path}.toolSpec.inputSchema.json.type must be one of the following: object.`);
  }
}

function checkToolChoice(value: unknown, names: ReadonlySet<string>): void {
  if (value === undefined) return;
  const choice = recordAt(value, 'toolConfig.toolChoice');
  checkMembers(choice, ['auto', 'any', 'tool'], 'toolConfig.toolChoice');
  if (Object.keys(choice).length !== 1) fail('toolConfig.toolChoice', 'Member must have exactly one member set');
  if (choice['tool'] === undefined) return;
  const tool = recordAt(choice['tool'], 'toolConfig.toolChoice.tool');
  checkMembers(tool, ['name'], 'toolConfig.toolChoice.tool');
  const { name } = tool;
  if (!names.has(String(name)))
    throwApiError(`The tool ${String(name)} at toolConfig.toolChoice.tool is not in toolConfig.tools.`);
}

function checkOutput(value: unknown): void {
  if (value === undefined) return;
  const config = recordAt(value, 'outputConfig');
  checkMembers(config, ['textFormat', 'effort'], 'outputConfig');
  if (config['effort'] !== undefined) checkChoice(config['effort'], 'outputConfig.effort', efforts);
  if (config['textFormat'] === undefined) return;
  const format = recordAt(config['textFormat'], 'outputConfig.textFormat');
  checkMembers(format, ['type', 'structure'], 'outputConfig.textFormat');
  const { type, structure } = format;
  if (type !== 'json_schema') fail('outputConfig.textFormat.type', 'Member must satisfy enum value set: [json_schema]');
  const path = 'outputConfig.textFormat.structure';
  const definition = recordAt(recordAt(structure, path)['jsonSchema'], `${path}.jsonSchema`);
  checkMembers(definition, ['schema', 'name', 'description'], `${path}.jsonSchema`);
  if (!isJsonObject(definition['schema'])) throwApiError(`The schema at ${path}.jsonSchema.schema is not valid JSON.`);
}

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === 'string' && isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

function checkSystem(value: unknown): void {
  for (const [index, entry] of listAt(value ?? [], 'system').entries()) {
    const block = recordAt(entry, `system.${index}`);
    checkMembers(block, ['text', 'cachePoint', 'guardContent'], `system.${index}`);
    const { text } = block;
    if (text !== undefined && (typeof text !== 'string' || text.trim() === '')) {
      throwApiError(
        `The text field in the SystemContentBlock object at system.${index} is blank. Add text to the text field, and try again.`,
      );
    }
  }
}

function checkMessages(value: unknown, tools: ReadonlySet<string> | undefined): void {
  const messages = listAt(value, 'messages').map((message, index) => recordAt(message, `messages.${index}`));
  if (messages.length === 0) fail('messages', 'Member must have length greater than or equal to 1');
  if (messages[0]?.['role'] !== 'user') {
    throwApiError(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  }
  const documents = new Set<string>();
  for (const [index, message] of messages.entries()) {
    checkMembers(message, ['role', 'content'], `messages.${index}`);
    if (message['role'] !== (index % 2 === 0 ? 'user' : 'assistant')) {
      throwApiError(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
    }
    checkContent(message, index, documents);
  }
  checkCalls(messages, tools);
}

/** Every call of a turn has its result in the next one, and nothing else has. */
function checkCalls(messages: readonly Members[], tools: ReadonlySet<string> | undefined): void {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const results = idsOf(message, 'toolResult');
    const calls = idsOf(message, 'toolUse');
    if (tools === undefined && results.length + calls.length > 0)
      throwApiError('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
    const missing = open.filter((id) => !results.includes(id));
    const path = `messages.${index}.content`;
    if (missing.length > 0)
      throwApiError(`Expected toolResult blocks at ${path} for the following Ids: ${missing.join()}`);
    if (results.length > open.length) {
      throwApiError(
        `The number of toolResult blocks at ${path} exceeds the number of toolUse blocks of previous turn.`,
      );
    }
    open = calls;
  }
}

function idsOf(message: Members, member: 'toolUse' | 'toolResult'): string[] {
  return listAt(message['content'], 'content').flatMap((block) => {
    const value = isRecord(block) ? block[member] : undefined;
    return isRecord(value) ? [String(value['toolUseId'])] : [];
  });
}
