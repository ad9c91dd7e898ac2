// The TypeScript type of a tool's input, inferred from its schema: a zod schema, or a JSON Schema literal.

import type { InferOutput } from '../heal/index.ts';

export type InputOf<S> = S extends { readonly '~standard': unknown } ? InferOutput<S> : ValueOf<S>;

/** `unknown` for what is not inferred, such as `$ref` and `allOf`. */
type ValueOf<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Choice)[] }
      ? ValueOf<Choice>
      : S extends { readonly type: 'object' }
        ? ObjectOf<S>
        : S extends { readonly type: 'array' }
          ? ListOf<S>
          : S extends { readonly type: keyof Simple }
            ? Simple[S['type']]
            : unknown;

interface Simple {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type ObjectOf<S> = S extends { readonly properties: infer Properties }
  ? Simplify<
      { readonly [Key in keyof Properties & RequiredOf<S>]: ValueOf<Properties[Key]> } & {
        readonly [Key in Exclude<keyof Properties, RequiredOf<S>>]?: ValueOf<Properties[Key]>;
      }
    >
  : Readonly<Record<string, unknown>>;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type ListOf<S> = S extends { readonly items: infer Item } ? readonly ValueOf<Item>[] : readonly unknown[];

type Simplify<T> = { [Key in keyof T]: T[Key] };
