// A schema as the sampler reads it. The types are loose, because a schema from a user may contain anything.

export type Keywords = Readonly<Record<string, unknown>>;
export type Schema = Keywords | boolean;

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
