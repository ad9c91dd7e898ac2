// What a row of the table of fields says: which key, of which type, with which default, and what it means.

import type { Rule } from './rules.ts';
import type { TableName } from './table.ts';

/** What each type of field is in the program. */
export interface FieldValues {
  string: string;
  boolean: boolean;
  integer: number;
  number: number;
  /** Written as "30s", kept in milliseconds. */
  duration: number;
  /** Written as "64MB", kept in bytes. */
  size: number;
  URL: string;
  /** Written relative to the file it stands in. */
  path: string;
  choice: string;
  'list of strings': readonly string[];
  'list of numbers': readonly number[];
  'map of strings': Readonly<Record<string, string>>;
}
export type FieldType = keyof FieldValues;

interface FieldOf<T extends FieldType> {
  readonly table: TableName;
  readonly key: string;
  readonly type: T;
  /** One line, also for the reference. */
  readonly description: string;
  readonly required?: true;
  /** As it would be written in the file. */
  readonly default?: string | number | boolean;
  /** What holds without the field, where that is not one fixed value. */
  readonly otherwise?: string;
  /** The values of a choice. */
  readonly choices?: readonly string[];
  /** The providers the field means something to. */
  readonly only?: 'remote' | 'simulated';
  readonly rule?: Rule<FieldValues[T]>;
}
export type Field = { [T in FieldType]: FieldOf<T> }[FieldType];
