// Validates the body of an OpenAI chat-completions request as the API does, with the same messages, before the wire decodes
// it.

import { isRecord } from '../../core/json.ts';
import { quote, throwApiError } from './api-error.ts';
import { checkUnknown } from './openai-members.ts';
import { checkMessages, mentionsJson } from './validate-openai-messages.ts';
import { checkStrictSchema } from './validate-openai-schema.ts';
import {
  efforts,
  expectChoice,
  expectList,
  expectNumber,
  expectString,
  missing,
  serviceTiers,
  typeError,
  verbosities,
} from './validate-openai-value.ts';

type OpenaiRequestBody = Readonly<Record<string, unknown>>;

const fields = new Set([
  'model',
  'messages',
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);

/** Minimum, maximum, and whether the number must be an integer. */
const numbers: Readonly<Record<string, readonly [number, number, boolean]>> = {
  temperature: [0, 2, false],
  top_p: [0, 1, false],
  presence_penalty: [-2, 2, false],
  frequency_penalty: [-2, 2, false],
  n: [1, 128, true],
  max_tokens: [1, Number.POSITIVE_INFINITY, true],
  max_completion_tokens: [1, Number.POSITIVE_INFINITY, true],
  top_logprobs: [0, 20, true],
};

const choices: Readonly<Record<string, readonly string[]>> = {
  reasoning_effort: efforts,
  service_tier: serviceTiers,
  verbosity: verbosities,
};

const mostStops = 4;
const mostTools = 128;
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/u;

export function validateOpenai(body: unknown): void {
  if (!isRecord(body))
    return throwApiError('Invalid type for the request body: expected an object, but got something else.');
  const unknown = Object.keys(body).find((name) => !fields.has(name));
  if (unknown !== undefined) return throwApiError(`Unrecognized request argument supplied: ${unknown}`);
  checkModel(body['model']);
  if (body['messages'] === undefined) return missing('messages');
  for (const [name, [minimum, maximum, isInteger]] of Object.entries(numbers)) {
    if (isSet(body[name])) expectNumber(body[name], name, { minimum, maximum, isInteger });
  }
  for (const [name, supported] of Object.entries(choices)) expectChoice(body[name], name, supported);
  checkCounts(body);
  checkStop(body['stop']);
  checkStream(body);
  checkMessages(body['messages']);
  const names = checkTools(body['tools']);
  checkToolChoice(body, names);
  checkFormat(body);
}

function checkModel(model: unknown): void {
  if (model === undefined || model === null || model === '') return throwApiError('you must provide a model parameter');
  if (typeof model !== 'string') return typeError('model', 'a string', model);
  if (!model.startsWith('unknown')) return;
  throwApiError(`The model \`${model}\` does not exist or you do not have access to it.`, {
    kind: 'not-found',
    code: 'model_not_found',
  });
}

function checkCounts({ model, n, max_tokens: old, max_completion_tokens: current }: OpenaiRequestBody): void {
  if (isSet(old) && isSet(current)) {
    return throwApiError("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", {
      code: 'invalid_parameter_combination',
    });
  }
  if (isSet(old) && /^(?:o\d|gpt-5)/u.test(model as string)) {
    return throwApiError(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { field: 'max_tokens', code: 'unsupported_parameter' },
    );
  }
  if (typeof n === 'number' && n > 1)
    return throwApiError('The simulated model supports only one choice.', { field: 'n' });
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function checkStop(stop: unknown): void {
  if (stop === undefined || stop === null || typeof stop === 'string') return;
  if (!Array.isArray(stop)) return typeError('stop', 'one of a string or array of strings', stop);
  if (stop.length > mostStops) {
    return throwApiError(
      `Invalid 'stop': array too long. Expected an array with maximum length ${mostStops}, but got an array with length ${stop.length} instead.`,
      { field: 'stop', code: 'array_above_max_length' },
    );
  }
  for (const [index, sequence] of stop.entries()) expectString(sequence, `stop[${index}]`);
}

function checkStream({ stream, stream_options: options }: OpenaiRequestBody): void {
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    return typeError('stream', 'a boolean', stream);
  if (options === undefined || options === null) return;
  if (stream !== true) {
    return throwApiError("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      field: 'stream_options',
    });
  }
  if (!isRecord(options)) return typeError('stream_options', 'an object', options);
  checkUnknown(options, 'stream_options', 'stream_options');
}

/** Returns the names of the functions. */
function checkTools(tools: unknown): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  if (tools === undefined || tools === null) return names;
  const list = expectList(tools, 'tools');
  if (list.length > mostTools) {
    throwApiError(
      `Invalid 'tools': array too long. Expected an array with maximum length ${mostTools}, but got an array with length ${list.length} instead.`,
      { field: 'tools', code: 'array_above_max_length' },
    );
  }
  for (const [index, tool] of list.entries()) names.add(checkTool(tool, `tools[${index}]`));
  return names;
}

function checkTool(tool: unknown, path: string): unknown {
  if (!isRecord(tool)) return typeError(path, 'an object', tool);
  if (tool['type'] === undefined) return missing(`${path}.type`);
  if (tool['type'] === 'custom') return isRecord(tool['custom']) ? tool['custom']['name'] : missing(`${path}.custom`);
  if (tool['type'] !== 'function') {
    return throwApiError(`Invalid value: '${quote(tool['type'])}'. Supported values are: 'function' and 'custom'.`, {
      field: `${path}.type`,
      code: 'invalid_value',
    });
  }
  const definition = tool['function'];
  if (!isRecord(definition)) return missing(`${path}.function`);
  checkUnknown(tool, 'chat.tool', path);
  checkUnknown(definition, 'function', `${path}.function`);
  const name = checkName(definition['name'], `${path}.function.name`);
  checkParameters(definition, name, `${path}.function.parameters`);
  return name;
}

function checkName(name: unknown, path: string): string {
  const text = expectString(name, path);
  if (namePattern.test(text)) return text;
  return throwApiError(
    `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { field: path, code: 'invalid_value' },
  );
}

function checkParameters({ parameters, strict }: OpenaiRequestBody, name: string, path: string): void {
  if (parameters === undefined || parameters === null) return;
  if (!isRecord(parameters)) return typeError(path, 'an object', parameters);
  const about = { title: `function '${name}'`, field: path, code: 'invalid_function_parameters' };
  checkStrictSchema(parameters, about, strict === true);
}

function checkToolChoice(
  { tool_choice: choice, parallel_tool_calls: parallel, tools }: OpenaiRequestBody,
  names: ReadonlySet<unknown>,
): void {
  for (const [name, value] of [
    ['tool_choice', choice],
    ['parallel_tool_calls', parallel],
  ] as const) {
    if (isSet(value) && !isSet(tools)) {
      throwApiError(`Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`, {
        field: name,
      });
    }
  }
  if (choice === undefined || choice === null) return;
  if (typeof choice === 'string') {
    if (['none', 'auto', 'required'].includes(choice)) return;
    return throwApiError(`Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`, {
      field: 'tool_choice',
      code: 'invalid_value',
    });
  }
  if (!isRecord(choice)) return typeError('tool_choice', 'one of a string or object', choice);
  const chosen = choice['function'];
  if (choice['type'] !== 'function') return;
  if (!isRecord(chosen)) return missing('tool_choice.function');
  const name = expectString(chosen['name'], 'tool_choice.function.name');
  if (!names.has(name))
    throwApiError(`Tool choice '${name}' not found in 'tools' parameter.`, { field: 'tool_choice' });
}

function checkFormat({ response_format: format, messages }: OpenaiRequestBody): void {
  if (format === undefined || format === null) return;
  if (!isRecord(format)) return typeError('response_format', 'an object', format);
  checkUnknown(format, 'response_format', 'response_format');
  if (format['type'] === 'json_object' && !mentionsJson(messages)) {
    return throwApiError(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      { field: 'messages' },
    );
  }
  if (format['type'] === 'json_schema') return checkSchemaFormat(format['json_schema']);
  if (format['type'] === 'text' || format['type'] === 'json_object') return;
  throwApiError(
    `Invalid value: '${quote(format['type'])}'. Supported values are: 'json_object', 'json_schema', and 'text'.`,
    {
      field: 'response_format.type',
      code: 'invalid_value',
    },
  );
}

function checkSchemaFormat(format: unknown): void {
  const path = 'response_format.json_schema';
  if (!isRecord(format)) return missing(path);
  checkUnknown(format, 'json_schema', path);
  const name = checkName(format['name'], `${path}.name`);
  const { schema, strict } = format;
  if (schema === undefined || schema === null) {
    if (strict === true) missing(`${path}.schema`);
    return;
  }
  if (!isRecord(schema)) return typeError(`${path}.schema`, 'an object', schema);
  checkStrictSchema(schema, { title: `response_format '${name}'`, field: 'response_format' }, strict === true);
}
