// What a zod schema can say about healing beyond its own words, kept in its metadata: further names of a field, and
// when a place shows up while it streams. The type of the partial value knows these, so a helper must be the
// outermost call: what zod returns from `.nullable()` no longer carries the mark of what is inside.

import type { StandardSchema } from './schema-input.ts';

/** Any schema with zod's `.meta()`. */
export interface Annotatable extends StandardSchema {
  meta(): object | undefined;
}

export type StreamRule = 'done' | 'not-null' | 'with-state';

declare const rules: unique symbol;

/** A mark for the type system alone: nothing is there at run time. */
export interface Annotated<Rule extends StreamRule> {
  readonly [rules]: { readonly [Key in Rule]: true };
}

/** The field may also be called so. */
export function alias<S extends Annotatable>(schema: S, ...names: string[]): S {
  return annotate(schema, 'x-alias', names);
}

/** Shows up in the partial value only when it is complete. */
export function streamDone<S extends Annotatable>(schema: S): S & Annotated<'done'> {
  return annotate(schema, 'x-stream', ['done']) as S & Annotated<'done'>;
}

/** The object it is in shows up only when this is there. */
export function streamNotNull<S extends Annotatable>(schema: S): S & Annotated<'not-null'> {
  return annotate(schema, 'x-stream', ['not-null']) as S & Annotated<'not-null'>;
}

/** Shows up as `{ value, state }`, from the start. */
export function streamState<S extends Annotatable>(schema: S): S & Annotated<'with-state'> {
  return annotate(schema, 'x-stream', ['with-state']) as S & Annotated<'with-state'>;
}

function annotate<S extends Annotatable>(schema: S, key: string, values: readonly string[]): S {
  const known = (schema.meta() as Record<string, unknown> | undefined)?.[key];
  const all = [...(Array.isArray(known) ? known : []), ...values];
  // The overload that takes metadata gives back a copy of the schema with it.
  return (schema as unknown as { meta(data: object): S }).meta({ ...schema.meta(), [key]: all });
}
