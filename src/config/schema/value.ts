// Checks one value of a file against its field.

import { parseDuration, unitHint } from './duration.ts';
import type { FieldDefinition, FieldType } from './definition.ts';
import { parseSize, sizeHint } from './size.ts';
import { isTable } from './table.ts';
import { didYouMean } from '../../core/suggest.ts';

export type Checked = { readonly value: unknown } | { readonly problem: string };

export function checkValue(value: unknown, field: FieldDefinition): Checked {
  const checked = types[field.type](value, field);
  if ('problem' in checked) return checked;
  // The check above returned a value of the type that the field's rule takes.
  const problem = field.rule?.(checked.value as never);
  return problem === undefined ? checked : { problem };
}

const types: Readonly<Record<FieldType, (value: unknown, field: FieldDefinition) => Checked>> = {
  string: (value) => expect('a string', typeof value === 'string', value),
  URL: (value) => expect('a string', typeof value === 'string', value),
  path: (value) => expect('a string', typeof value === 'string', value),
  boolean: (value) => expect('true or false', typeof value === 'boolean', value),
  number: (value) => expect('a number', Number.isFinite(value), value),
  integer: (value) => expect('an integer', Number.isSafeInteger(value), value),
  duration: (value) => checkText(value, 'a duration, such as "30s"', parseDuration, unitHint),
  size: (value) => checkText(value, 'a size, such as "64MB"', parseSize, sizeHint),
  choice: checkChoice,
  'list of strings': (value) =>
    expect(
      'a list of strings, such as ["one", "two"]',
      Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
      value,
    ),
  'list of numbers': (value) =>
    expect('a list of numbers, such as [3, 1]', Array.isArray(value) && value.every(Number.isFinite), value),
  'map of strings': checkMap,
  table: (value) => expect('a table, such as { limit = 5 }', isTable(value), value),
};

function checkMap(value: unknown): Checked {
  const isMap = isTable(value) && Object.values(value).every((entry) => typeof entry === 'string');
  // A copy, because the parser's tables have no prototype.
  return expect('a table of strings, such as { "x-team" = "research" }', isMap, isMap ? { ...value } : value);
}

/** A number with a unit, as a string. */
function checkText(
  value: unknown,
  wanted: string,
  parse: (text: string) => number,
  hint: (bare: number) => string,
): Checked {
  if (typeof value === 'number') return { problem: `${value} has no unit; ${hint(value)}` };
  if (typeof value !== 'string') return expect(wanted, false, value);
  try {
    return { value: parse(value) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function checkChoice(value: unknown, { choices = [] }: FieldDefinition): Checked {
  if (typeof value !== 'string' || choices.includes(value)) return expect('a string', typeof value === 'string', value);
  const hint = didYouMean(value, choices) || `; use one of ${choices.join(', ')}`;
  return { problem: `${JSON.stringify(value)} is not a valid value${hint}` };
}

function expect(wanted: string, isRight: boolean, value: unknown): Checked {
  return isRight ? { value } : { problem: `must be ${wanted}, not ${describe(value)}` };
}

/** Describes a value without repeating a string, which may be a key in the wrong place. */
function describe(value: unknown): string {
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `a list${oddEntry(value)}`;
  return isTable(value) ? `a table${oddEntry(Object.values(value))}` : 'a date';
}

function oddEntry(entries: readonly unknown[]): string {
  const odd = entries.find((entry) => typeof entry !== 'string');
  return odd === undefined ? '' : ` with ${describe(odd)} in it`;
}
