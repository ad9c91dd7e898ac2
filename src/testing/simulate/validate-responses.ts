// Validates the body of an OpenAI Responses request as the API does, with the same messages, before the wire decodes it.

import { isRecord } from '../../core/json.ts';
import { quote, throwApiError } from './api-error.ts';
import { checkResponsesInput } from './validate-responses-input.ts';
import { mentionsJson } from './validate-openai-messages.ts';
import { checkStrictSchema } from './validate-openai-schema.ts';
import { checkUnknown } from './openai-members.ts';
import {
  efforts,
  expectChoice,
  expectNumber,
  expectString,
  missing,
  serviceTiers,
  typeError,
  verbosities,
} from './validate-openai-value.ts';

type ResponsesRequestBody = Readonly<Record<string, unknown>>;

const fields = new Set([
  'access_programs',
  'background',
  'client_metadata',
  'context_management',
  'conversation',
  'image',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'moderation',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]);

/** Minimum, maximum, and whether the number must be an integer. */
const numbers: Readonly<Record<string, readonly [number, number, boolean]>> = {
  temperature: [0, 2, false],
  top_p: [0, 1, false],
  max_output_tokens: [16, Number.POSITIVE_INFINITY, true],
  max_tool_calls: [1, Number.POSITIVE_INFINITY, true],
  top_logprobs: [0, 20, true],
};

const booleans = ['background', 'parallel_tool_calls', 'store', 'stream'];

const includes = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/u;

/** What the simulated model does not have. */
const unsupported = ['prompt', 'context_management', 'moderation', 'image'];

export function validateResponses(body: unknown): void {
  if (!isRecord(body))
    return throwApiError('Invalid type for the request body: expected an object, but got something else.');
  const unknown = Object.keys(body).find((name) => !fields.has(name));
  if (unknown !== undefined) return unknownParameter(unknown);
  checkModel(body['model']);
  for (const name of unsupported) {
    if (isSet(body[name]) && body[name] !== false)
      throwApiError(`The simulated model does not support '${name}'.`, { field: name });
  }
  for (const [name, [minimum, maximum, isInteger]] of Object.entries(numbers)) {
    if (isSet(body[name])) expectNumber(body[name], name, { minimum, maximum, isInteger });
  }
  for (const name of booleans) {
    if (isSet(body[name]) && typeof body[name] !== 'boolean') typeError(name, 'a boolean', body[name]);
  }
  if (body['background'] === true && body['store'] === false)
    throwApiError("Background mode requires 'store' to be true.", { field: 'background' });
  expectChoice(body['service_tier'], 'service_tier', serviceTiers);
  expectChoice(body['truncation'], 'truncation', ['auto', 'disabled']);
  checkContext(body);
  checkResponsesInput(body['input']);
  checkIncludes(body['include']);
  checkReasoning(body['reasoning']);
  const names = checkTools(body['tools']);
  checkToolChoice(body['tool_choice'], names);
  checkText(body);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function unknownParameter(name: string): never {
  return throwApiError(`Unknown parameter: '${name}'.`, { field: name, code: 'unknown_parameter' });
}

function invalidValue(value: unknown, field: string, supported: readonly string[]): never {
  const list = supported.map((item) => `'${item}'`).join(', ');
  const message = `Invalid value: '${quote(value)}'. Supported values are: ${list}.`;
  return throwApiError(message, { field, code: 'invalid_value' });
}

function checkModel(model: unknown): void {
  if (!isSet(model) || model === '') return missing('model');
  if (typeof model !== 'string') return typeError('model', 'a string', model);
  if (!model.startsWith('unknown')) return;
  throwApiError(`The requested model '${model}' does not exist.`, { kind: 'not-found', code: 'model_not_found' });
}

function checkContext({
  input,
  previous_response_id: previous,
  stream,
  stream_options: options,
}: ResponsesRequestBody) {
  if (!isSet(input) && !isSet(previous)) {
    throwApiError(
      "Missing required parameter: 'input'. One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided.",
      { field: 'input', code: 'missing_required_parameter' },
    );
  }
  if (isSet(previous) && typeof previous !== 'string') typeError('previous_response_id', 'a string', previous);
  if (isSet(previous) && !String(previous).startsWith('resp')) {
    const problem = `Invalid 'previous_response_id': '${quote(previous)}'. Expected an ID that begins with 'resp'.`;
    throwApiError(problem, { field: 'previous_response_id', code: 'invalid_value' });
  }
  if (isSet(options) && stream !== true) {
    throwApiError("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      field: 'stream_options',
    });
  }
}

function checkIncludes(include: unknown): void {
  if (!isSet(include)) return;
  if (!Array.isArray(include)) return typeError('include', 'an array of strings', include);
  for (const [index, name] of include.entries()) {
    if (!includes.includes(name as string)) invalidValue(name, `include[${index}]`, includes);
  }
}

function checkReasoning(reasoning: unknown): void {
  if (!isSet(reasoning)) return;
  if (!isRecord(reasoning)) return typeError('reasoning', 'an object', reasoning);
  checkUnknown(reasoning, 'reasoning.options', 'reasoning');
  const { effort, summary } = reasoning;
  if (isSet(effort) && !efforts.includes(effort as string)) invalidValue(effort, 'reasoning.effort', efforts);
  const summaries = ['auto', 'concise', 'detailed'];
  if (isSet(summary) && !summaries.includes(summary as string)) invalidValue(summary, 'reasoning.summary', summaries);
}

/** Returns the names of the tools. */
function checkTools(tools: unknown): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  if (!isSet(tools)) return names;
  if (!Array.isArray(tools)) return typeError('tools', 'an array of objects', tools);
  for (const [index, tool] of tools.entries()) names.add(checkTool(tool, `tools[${index}]`));
  return names;
}

function checkTool(tool: unknown, path: string): unknown {
  if (!isRecord(tool)) return typeError(path, 'an object', tool);
  const { type, name, parameters, strict } = tool;
  if (type === undefined) return missing(`${path}.type`);
  if (tool['function'] !== undefined) return unknownParameter(`${path}.function`);
  if (type !== 'function' && type !== 'custom') return type;
  if (type === 'function') checkUnknown(tool, 'responses.function', path);
  const called = checkName(name, `${path}.name`);
  if (type === 'custom' || !isSet(parameters)) return called;
  if (!isRecord(parameters)) return typeError(`${path}.parameters`, 'an object', parameters);
  const about = { title: `function '${called}'`, field: `${path}.parameters`, code: 'invalid_function_parameters' };
  // By default, the API makes a schema strict itself.
  checkStrictSchema(parameters, about, strict === true);
  return called;
}

function checkName(name: unknown, path: string): string {
  const text = expectString(name, path);
  if (namePattern.test(text)) return text;
  return throwApiError(
    `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { field: path, code: 'invalid_value' },
  );
}

function checkToolChoice(choice: unknown, names: ReadonlySet<unknown>): void {
  if (!isSet(choice)) return;
  if (typeof choice === 'string') {
    if (!['none', 'auto', 'required'].includes(choice))
      invalidValue(choice, 'tool_choice', ['none', 'auto', 'required']);
    return;
  }
  if (!isRecord(choice)) return typeError('tool_choice', 'one of a string or object', choice);
  if (choice['type'] !== 'function' && choice['type'] !== 'custom') return;
  const name = expectString(choice['name'], 'tool_choice.name');
  if (!names.has(name))
    throwApiError(`Tool choice '${name}' not found in 'tools' parameter.`, { field: 'tool_choice' });
}

function checkText({ text, input, instructions }: ResponsesRequestBody): void {
  if (!isSet(text)) return;
  if (!isRecord(text)) return typeError('text', 'an object', text);
  checkUnknown(text, 'text', 'text');
  expectChoice(text['verbosity'], 'text.verbosity', verbosities);
  const { format } = text;
  checkUnknown(format, 'text.format', 'text.format');
  if (!isSet(format)) return;
  if (!isRecord(format)) return typeError('text.format', 'an object', format);
  const types = ['json_object', 'json_schema', 'text'];
  if (!types.includes(format['type'] as string)) return invalidValue(format['type'], 'text.format.type', types);
  if (format['type'] === 'json_object' && !mentionsJson([input, instructions])) {
    return throwApiError(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      { field: 'input' },
    );
  }
  if (format['type'] === 'json_schema') checkFormat(format);
}

function checkFormat(format: ResponsesRequestBody): void {
  const name = checkName(format['name'], 'text.format.name');
  const { schema, strict } = format;
  if (!isSet(schema)) return missing('text.format.schema');
  if (!isRecord(schema)) return typeError('text.format.schema', 'an object', schema);
  const about = { title: `response_format '${name}'`, field: 'text.format.schema', code: 'invalid_json_schema' };
  checkStrictSchema(schema, about, strict === true);
}
