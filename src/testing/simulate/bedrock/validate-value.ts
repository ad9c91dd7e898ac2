// Checks of single values of a request to the simulated Bedrock, with the messages of the service.

import { isRecord } from '../../../core/json.ts';
import { throwApiError } from '../api-error.ts';

export type Members = Readonly<Record<string, unknown>>;

export function fail(path: string, constraint: string): never {
  return throwApiError(`1 validation error detected: Value at '${path}' failed to satisfy constraint: ${constraint}`);
}

export function recordAt(value: unknown, path: string): Members {
  if (value === undefined || value === null) return fail(path, 'Member must not be null');
  return isRecord(value) ? value : unexpected(path);
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return fail(path, 'Member must not be null');
  return Array.isArray(value) ? value : unexpected(path);
}

export function checkMembers(value: Members, names: readonly string[], path: string): void {
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throwApiError(`The member ${path === '' ? '' : `${path}.`}${unknown} is not known.`, {
    code: 'SerializationException',
  });
}

interface NumberRange {
  readonly minimum: number;
  readonly maximum?: number;
  readonly isInteger?: boolean;
}

export function checkNumber(value: unknown, path: string, { minimum, maximum, isInteger }: NumberRange): void {
  if (value === undefined) return;
  if (typeof value !== 'number' || (isInteger && !Number.isInteger(value))) return unexpected(path);
  if (value < minimum) fail(path, `Member must have value greater than or equal to ${minimum}`);
  if (maximum !== undefined && value > maximum) fail(path, `Member must have value less than or equal to ${maximum}`);
}

export function checkChoice(value: unknown, path: string, choices: readonly string[]): void {
  if (!choices.includes(String(value))) fail(path, `Member must satisfy enum value set: [${choices.join(', ')}]`);
}

function unexpected(path: string): never {
  return throwApiError(`Unexpected field type at ${path}`, { code: 'SerializationException' });
}
