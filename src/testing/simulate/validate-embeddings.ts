// Validates the body of an embeddings request as OpenAI's API and Ollama's native API do, with their messages.

import type { EmbeddingInput } from '../../core/embedding.ts';
import { isRecord } from '../../core/json.ts';
import { vectorLengthOf } from '../model/embedding.ts';
import { quote, throwApiError } from './api-error.ts';
import { expectNumber, expectString, missing, typeError } from './validate-openai-value.ts';

export interface EmbeddingBody {
  readonly model: string;
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions?: number;
  readonly isBase64: boolean;
}

const fields = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user']);
const mostInputs = 2048;
/** Tokens of one input, and of all inputs together. */
const mostTokens = 8192;
const mostTokensTogether = 300_000;

export function validateEmbeddings(body: unknown): EmbeddingBody {
  if (!isRecord(body)) return throwApiError('Invalid type for the request body: expected an object.');
  const unknown = Object.keys(body).find((name) => !fields.has(name));
  if (unknown !== undefined) return throwApiError(`Unrecognized request argument supplied: ${unknown}`);
  const { encoding_format: encoding = 'float', dimensions, user } = body;
  const model = body['model'] === undefined ? missingModel() : expectString(body['model'], 'model');
  if (user !== undefined) expectString(user, 'user');
  if (encoding !== 'float' && encoding !== 'base64') return wrongEncoding(encoding);
  if (dimensions !== undefined) checkDimensions(dimensions, model);
  const inputs = toInputs(body['input']);
  return {
    model,
    inputs,
    ...(dimensions === undefined ? {} : { dimensions: dimensions as number }),
    isBase64: encoding === 'base64',
  };
}

function missingModel(): never {
  return throwApiError('you must provide a model parameter');
}

function wrongEncoding(value: unknown): never {
  return throwApiError(`Invalid value: '${quote(value)}'. Supported values are: 'float' and 'base64'.`, {
    field: 'encoding_format',
    code: 'invalid_value',
  });
}

function checkDimensions(dimensions: unknown, model: string): void {
  if (model === 'text-embedding-ada-002') {
    throwApiError('This model does not support specifying dimensions.', { field: 'dimensions' });
  }
  expectNumber(dimensions, 'dimensions', { minimum: 1, maximum: vectorLengthOf(model), isInteger: true });
}

/** A text, a list of texts, a list of tokens, or a list of lists of tokens. */
function toInputs(input: unknown): readonly EmbeddingInput[] {
  if (input === undefined) return missing('input');
  const isList = Array.isArray(input) && typeof input[0] !== 'number';
  const inputs: readonly unknown[] = isList ? input : [input];
  if (inputs.length === 0) return throwInvalid('input cannot be an empty array.');
  if (inputs.length > mostInputs) return throwTooMany(inputs.length);
  const checked = inputs.map(checkInput);
  checkTokens(checked);
  return checked;
}

function checkInput(input: unknown): EmbeddingInput {
  if (typeof input === 'string') return input === '' ? throwInvalid('input cannot be an empty string.') : input;
  if (!Array.isArray(input) || input.length === 0) return throwUnreadable(input);
  return input.every((token) => Number.isSafeInteger(token) && token >= 0)
    ? (input as number[])
    : throwUnreadable(input);
}

function checkTokens(inputs: readonly EmbeddingInput[]): void {
  const counts = inputs.map((input) => (typeof input === 'string' ? Math.ceil(input.length / 4) : input.length));
  const longest = Math.max(...counts);
  if (longest > mostTokens) {
    throwApiError(
      `This model's maximum context length is ${mostTokens} tokens, however you requested ${longest} tokens (${longest} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
    );
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > mostTokensTogether) {
    throwInvalid(`maximum request size is ${mostTokensTogether} tokens per request.`, 'max_tokens_per_request');
  }
}

function throwInvalid(problem: string, code?: string): never {
  return throwApiError(`Invalid 'input': ${problem}`, { field: 'input', ...(code === undefined ? {} : { code }) });
}

function throwTooMany(count: number): never {
  const problem = `array too long. Expected an array with maximum length ${mostInputs}, but got an array with length ${count} instead.`;
  return throwInvalid(problem, 'array_above_max_length');
}

function throwUnreadable(value: unknown): never {
  if (value === null || typeof value !== 'object') return typeError('input', 'a string or an array', value);
  return throwApiError(
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
  );
}

/** Ollama's `/api/embed`: it accepts empty input and ignores unknown fields. */
export function validateOllamaEmbed(body: unknown): EmbeddingBody {
  if (!isRecord(body)) return throwApiError('json: cannot unmarshal the request body into an object');
  const { model, input = [], dimensions } = body;
  if (typeof model !== 'string' || model === '') return throwApiError('model is required');
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (!inputs.every((text): text is string => typeof text === 'string')) return throwApiError('invalid input type');
  if (dimensions !== undefined && !Number.isSafeInteger(dimensions)) return throwApiError('invalid dimensions type');
  const limit = Math.min(Number(dimensions ?? 0), vectorLengthOf(model));
  return { model, inputs, ...(limit > 0 ? { dimensions: limit } : {}), isBase64: false };
}
