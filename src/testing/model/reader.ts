// Validates data that a person wrote (a script, a fault). Unknown names are errors. An error names the field, what it must
// be and, for a misspelt name, the nearest valid one.

import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord, type JsonValue } from '../../core/json.ts';
import { suggest } from '../../core/suggest.ts';

/** Returns the typed value, or throws `bad-request` naming `path`. */
export type Reader<T> = (value: unknown, path: string) => T;

export type FieldReaders<T> = { readonly [Name in keyof T]-?: Reader<Exclude<T[Name], undefined>> };

export function failAt(path: string, problem: string): never {
  const place = path === '' ? 'the top level' : path;
  throw new SimpleAgentsError('bad-request', `${place}: ${problem}`, path === '' ? {} : { field: path });
}

export function objectReader<T extends object>(
  fields: FieldReaders<T>,
  required: readonly (keyof T & string)[] = [],
): Reader<T> {
  const names = Object.keys(fields);
  return (value, path) => {
    if (!isRecord(value)) return failAt(path, 'must be an object');
    const result: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      if (!Object.hasOwn(fields, name)) return failAt(at(path, name), unknownName(name, names));
      if (member !== undefined) result[name] = fields[name as keyof T](member, at(path, name));
    }
    for (const name of required) if (!(name in result)) return failAt(at(path, name), 'is required');
    return result as T;
  };
}

export function listReader<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return failAt(path, 'must be a list');
    return value.map((member, index) => item(member, `${path}[${index}]`));
  };
}

export function choiceReader<T extends string>(names: readonly T[]): Reader<T> {
  return (value, path) => {
    if (typeof value !== 'string') return failAt(path, `must be one of ${names.join(', ')}`);
    return names.find((name) => name === value) ?? failAt(path, unknownName(value, names));
  };
}

export function integerReader(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Reader<number> {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
  return (value, path) => {
    const fits = Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
    return fits ? (value as number) : failAt(path, `must be an integer, ${range}`);
  };
}

export const stringReader: Reader<string> = (value, path) =>
  typeof value === 'string' ? value : failAt(path, 'must be a string');

export const booleanReader: Reader<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : failAt(path, 'must be true or false');

/** Any JSON value. The input comes from `JSON.parse`. */
export const jsonReader: Reader<JsonValue> = (value) => value as JsonValue;

/** `unknown name; did you mean …?`, or the list of valid names if none is similar. */
export function unknownName(name: string, names: readonly string[]): string {
  const nearest = suggest(name, names);
  const help = nearest === undefined ? `valid names are ${names.join(', ')}` : `did you mean \`${nearest}\`?`;
  return `unknown name \`${name}\`; ${help}`;
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
