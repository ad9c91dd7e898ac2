// Annotations that a zod schema can carry for healing, stored in its metadata: aliases of a field, and when a value
// appears while it streams. The type of the partial value reflects them, so these functions must be the outermost call:
// the type that zod returns from `.nullable()` no longer carries the inner annotation.

import type { StandardSchema } from './schema-input.ts';

/** Any schema with zod's `.meta()`. */
export interface Annotatable extends StandardSchema {
  meta(): object | undefined;
}

export type StreamRule = 'done' | 'not-null' | 'with-state';

declare const rules: unique symbol;

/** Exists only for the type system, not at run time. */
export interface Annotated<Rule extends StreamRule> {
  readonly [rules]: { readonly [Key in Rule]: true };
}

/** Adds alternative names for the field. */
export function alias<S extends Annotatable>(schema: S, ...names: string[]): S {
  return annotate(schema, 'x-alias', names);
}

/** The value appears in the partial value only when it is complete. */
export function streamDone<S extends Annotatable>(schema: S): S & Annotated<'done'> {
  return annotate(schema, 'x-stream', ['done']) as S & Annotated<'done'>;
}

/** The enclosing object appears only when this field has a value. */
export function streamNotNull<S extends Annotatable>(schema: S): S & Annotated<'not-null'> {
  return annotate(schema, 'x-stream', ['not-null']) as S & Annotated<'not-null'>;
}

/** The value appears as `{ value, state }`, from the start. */
export function streamState<S extends Annotatable>(schema: S): S & Annotated<'with-state'> {
  return annotate(schema, 'x-stream', ['with-state']) as S & Annotated<'with-state'>;
}

function annotate<S extends Annotatable>(schema: S, key: string, values: readonly string[]): S {
  const known = (schema.meta() as Record<string, unknown> | undefined)?.[key];
  const all = [...(Array.isArray(known) ? known : []), ...values];
  // With an argument, `meta` returns a copy of the schema with that metadata.
  return (schema as unknown as { meta(data: object): S }).meta({ ...schema.meta(), [key]: all });
}
