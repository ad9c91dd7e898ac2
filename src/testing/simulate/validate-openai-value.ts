// Checks single values as the OpenAI API does, with its messages for a value that is missing, of the wrong type or out of
// range.

import { quote, throwApiError } from './api-error.ts';
import { dataOfUrl, isBase64 } from './base64-value.ts';

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
export const verbosities = ['low', 'medium', 'high'];
export const serviceTiers = ['auto', 'default', 'flex', 'scale', 'priority', 'fast'];

export function missing(path: string): never {
  return throwApiError(`Missing required parameter: '${path}'.`, { field: path, code: 'missing_required_parameter' });
}

export function typeError(path: string, expected: string, value: unknown): never {
  return throwApiError(`Invalid type for '${path}': expected ${expected}, but got ${describe(value)} instead.`, {
    field: path,
    code: 'invalid_type',
  });
}

export function expectString(value: unknown, path: string): string {
  if (value === undefined) return missing(path);
  return typeof value === 'string' ? value : typeError(path, 'a string', value);
}

export function expectList(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) return typeError(path, 'an array of objects', value);
  if (value.length > 0) return value;
  return throwApiError(
    `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { field: path, code: 'empty_array' },
  );
}

export interface NumberRange {
  readonly minimum: number;
  readonly maximum: number;
  readonly isInteger: boolean;
}

export function expectNumber(value: unknown, path: string, { minimum, maximum, isInteger }: NumberRange): void {
  const kind = isInteger ? 'integer' : 'decimal';
  if (typeof value !== 'number' || (isInteger && !Number.isInteger(value))) {
    return typeError(path, isInteger ? 'an integer' : 'a decimal', value);
  }
  const [side, word, sign, bound] =
    value < minimum ? ['below', 'minimum', '>=', minimum] : ['above', 'maximum', '<=', maximum];
  if (value >= minimum && value <= maximum) return;
  throwApiError(
    `Invalid '${path}': ${kind} ${side} ${word} value. Expected a value ${sign} ${bound}, but got ${value} instead.`,
    {
      field: path,
      code: `${kind}_${side}_${word === 'minimum' ? 'min' : 'max'}_value`,
    },
  );
}

/** One of a fixed set of words, or absent. */
export function expectChoice(value: unknown, path: string, supported: readonly string[]): void {
  if (value === undefined || value === null || supported.includes(value as string)) return;
  const list = supported.map((word) => `'${word}'`).join(', ');
  throwApiError(`Invalid value: '${quote(value)}'. Supported values are: ${list}.`, {
    field: path,
    code: 'invalid_value',
  });
}

/** The content of a file: a data URL. */
export function expectFileData(value: unknown, path: string): void {
  if (value === undefined || value === null) return;
  if (isBase64(dataOfUrl(expectString(value, path)))) return;
  const problem = `Invalid file data: '${path}'. Expected a base64-encoded data URL with a MIME type (e.g. 'data:application/pdf;base64,aGVsbG8gd29ybGQ='), but got a value with an invalid format.`;
  throwApiError(problem, { field: path, code: 'invalid_value' });
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
