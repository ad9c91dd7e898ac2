// Checks single values as the OpenAI API does, with its messages for a value that is missing, of the wrong type or out of
// range.

import { throwApiError } from './api-error.ts';

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

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
