// The type of an incomplete value: every member is optional, at all depths. For zod it is derived from the schema, so
// that it reflects the annotations of annotation.ts. For other schemas it is derived from the type of the complete
// value. Does not import zod: the types below describe the parts of its schemas that matter here.

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

/** The type of a schema's value while it streams. */
export type PartialOf<S> = S extends Zod ? Streamed<S> : DeepPartial<InferOutput<S>>;

interface Zod<Definition = unknown> {
  readonly _zod: { readonly def: Definition; readonly input: unknown; readonly output: unknown };
}

/** Wrappers that do not change the partial value. Defaults and transformations are applied at the end. */
type TransparentWrapper = 'optional' | 'default' | 'prefault' | 'nonoptional' | 'readonly' | 'catch';

type Streamed<S> = S extends Annotated<'with-state'> ? { value: Growing<S> | null; state: NodeState } : Growing<S>;

/**
 * A value with the `done` rule appears complete or not at all. It has the input type, because validation and its
 * transformations run at the end.
 */
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

/** The less common types. */
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

/** Only a name that is known in advance can be missing. */
type Entries<Key extends PropertyKey, Value> = string extends Key
  ? { [Name in Key]: Value }
  : { [Name in Key]?: Value };

type Each<Option> = Option extends unknown ? Streamed<Option> : never;

/**
 * A member with a state is present from the start. A member that must not be null is present whenever its object is.
 */
type StreamedMembers<Shape> = FlatObject<
  { [Key in keyof Shape as Shape[Key] extends Present ? Key : never]: Streamed<Shape[Key]> } & {
    [Key in keyof Shape as Shape[Key] extends Present ? never : Key]?: Streamed<Shape[Key]>;
  }
>;

type Present = Annotated<'with-state'> | Annotated<'not-null'>;

type FlatObject<T> = { [Key in keyof T]: T[Key] };

type Sequence<Items, Rest> = Items extends readonly [infer First, ...infer Others]
  ? [Streamed<First>, ...Sequence<Others, Rest>]
  : Rest extends Zod
    ? Streamed<Rest>[]
    : [];
