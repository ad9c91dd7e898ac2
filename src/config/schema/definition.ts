// The types of the schema's entries: what a table and a field declare. The schema itself is `schema.ts`.

import type { ValueRule } from './rules.ts';

/** Each field type with the TypeScript type of its values. */
export interface FieldValues {
  string: string;
  boolean: boolean;
  integer: number;
  number: number;
  /** "30s" in the file, milliseconds in the program. */
  duration: number;
  /** "64MB" in the file, bytes in the program. */
  size: number;
  URL: string;
  /** Relative to the folder of the file. */
  path: string;
  choice: string;
  'list of strings': readonly string[];
  'list of numbers': readonly number[];
  'map of strings': Readonly<Record<string, string>>;
  /** Any values; the plugin that they are for validates them. */
  table: Readonly<Record<string, unknown>>;
}
export type FieldType = keyof FieldValues;

interface DefinitionOf<T extends FieldType> {
  readonly type: T;
  /** One line, also used in the reference. */
  readonly description: string;
  readonly required?: true;
  /** As it would be written in the file. */
  readonly default?: string | number | boolean;
  /** What applies without the field, where that is not one fixed value; "none" if left out. */
  readonly otherwise?: string;
  /** The values of a choice. */
  readonly choices?: readonly string[];
  /** Plugins add further choices. */
  readonly addedBy?: 'providers' | 'strategies';
  /** The kind of provider that the field is for. */
  readonly only?: 'remote' | 'simulated' | 'plugin' | 'aws';
  readonly rule?: ValueRule<FieldValues[T]>;
}
export type FieldDefinition = { [T in FieldType]: DefinitionOf<T> }[FieldType];

export interface TableDefinition {
  /** `[client]`, `[[providers]]` or `[models.NAME]`. */
  readonly form: 'single' | 'list' | 'named';
  /** The placeholder for the name in a heading such as `[models.NAME]`; `NAME` if left out. */
  readonly entry?: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  /** Keys that people try but that are not allowed, each with what to do instead. */
  readonly refused?: Readonly<Record<string, string>>;
}

/** A field with its key. */
export type ConfigField = FieldDefinition & { readonly key: string };
