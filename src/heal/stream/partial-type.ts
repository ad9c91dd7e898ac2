// The type of a value that is not all there yet: every member optional, all the way down. For zod it is read off the
// schema, so that the annotations of `annotation.ts` show in it; for others, off the type of the finished value.
// Refuses to know zod: the shapes below are the parts of its schemas that matter here.

import type { Annotated } from '../schema/annotation.ts';
import type { InferOutput } from '../schema/schema-input.ts';
import type { NodeState } from './visibility.ts';

export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? DeepPartial<Item>[]
  : T extends Date | bigint
    ? T
    : T extends object
      ? { [Key in keyof T]?: DeepPartial<T[Key]> }
      : T;

/** What a schema's value is while it streams. */
export type PartialOf<S> = S extends Zod ? Streamed<S> : DeepPartial<InferOutput<S>>;

interface Zod<Definition = unknown> {
  readonly _zod: { readonly def: Definition; readonly input: unknown; readonly output: unknown };
}

/** Wrappers that change nothing in what streams: a default fills in at the end, a transformation comes last. */
type TransparentWrapper = 'optional' | 'default' | 'prefault' | 'nonoptional' | 'readonly' | 'catch';

type Streamed<S> = S extends Annotated<'with-state'> ? { value: Growing<S> | null; state: NodeState } : Growing<S>;

/** Whole or not at all, and as the text has it: validation, with its transformations, comes at the end. */
type Growing<S> = S extends Annotated<'done'> & Zod ? S['_zod']['input'] : Parts<S>;

type Parts<S> =
  S extends Zod<{ type: 'object'; shape: infer Shape }>
    ? StreamedMembers<Shape>
    : S extends Zod<{ type: 'array'; element: infer Element }>
      ? Streamed<Element>[]
      : S extends Zod<{ type: TransparentWrapper; innerType: infer Inner }>
        ? Streamed<Inner>
        : S extends Zod<{ type: 'nullable'; innerType: infer Inner }>
          ? Streamed<Inner> | null
          : S extends Zod<{ type: 'union'; options: readonly (infer Option)[] }>
            ? Each<Option>
            : Composed<S>;

/** The rarer ones. */
type Composed<S> =
  S extends Zod<{ type: 'record'; keyType: Zod & { _zod: { output: infer Key } }; valueType: infer Value }>
    ? Entries<Key & PropertyKey, Streamed<Value>>
    : S extends Zod<{ type: 'tuple'; items: infer Items; rest: infer Rest }>
      ? Partial<Sequence<Items, Rest>>
      : S extends Zod<{ type: 'intersection'; left: infer Left; right: infer Right }>
        ? Streamed<Left> & Streamed<Right>
        : S extends Zod<{ type: 'lazy'; getter: () => infer Inner }>
          ? Streamed<Inner>
          : S extends Zod<{ type: 'pipe'; in: infer First; out: infer Second }>
            ? Streamed<First extends Zod<{ type: 'transform' }> ? Second : First>
            : S extends Zod
              ? S['_zod']['output']
              : unknown;

/** Only a name that is known beforehand can be missing. */
type Entries<Key extends PropertyKey, Value> = string extends Key
  ? { [Name in Key]: Value }
  : { [Name in Key]?: Value };

type Each<Option> = Option extends unknown ? Streamed<Option> : never;

/** A place with a state is there from the start, and what must not be null is there whenever its object is. */
type StreamedMembers<Shape> = Simplify<
  { [Key in keyof Shape as Shape[Key] extends Present ? Key : never]: Streamed<Shape[Key]> } & {
    [Key in keyof Shape as Shape[Key] extends Present ? never : Key]?: Streamed<Shape[Key]>;
  }
>;

type Present = Annotated<'with-state'> | Annotated<'not-null'>;

type Simplify<T> = { [Key in keyof T]: T[Key] };

type Sequence<Items, Rest> = Items extends readonly [infer First, ...infer Others]
  ? [Streamed<First>, ...Sequence<Others, Rest>]
  : Rest extends Zod
    ? Streamed<Rest>[]
    : [];
