// A member of a client's JSON body, read strictly: every error is a `bad-request` that names the field and what it must be.
// Only for bodies that users write. The decoders read what providers send, leniently.

import { SimpleAgentsError } from '../core/error.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import type { WireExtra } from '../core/message.ts';

export class JsonField {
  readonly value: unknown;
  /** The path is built only for an error. */
  readonly #parent: JsonField | undefined;
  readonly #key: string | number;

  constructor(value: unknown, parent?: JsonField, key: string | number = '') {
    this.value = value;
    this.#parent = parent;
    this.#key = key;
  }

  get path(): string {
    const outer = this.#parent?.path ?? '';
    return outer === '' ? String(this.#key) : `${outer}.${this.#key}`;
  }

  /** Null counts as absent, as in both official APIs. */
  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  get(key: string): JsonField {
    return new JsonField(this.object()[key], this, key);
  }

  /** Reads a member if it is present. Absent members, the usual case, cost nothing. */
  optionalMember<T>(key: string, read: (field: JsonField) => T): T | undefined {
    const value = this.object()[key];
    return value === undefined || value === null ? undefined : read(this.get(key));
  }

  object(): Record<string, unknown> {
    return isRecord(this.value) ? this.value : this.fail('must be an object');
  }

  /** For members that pass through unread. */
  json(): JsonObject {
    return this.object() as JsonObject;
  }

  string(): string {
    return typeof this.value === 'string' ? this.value : this.fail('must be a string');
  }

  number(): number {
    return typeof this.value === 'number' && Number.isFinite(this.value) ? this.value : this.fail('must be a number');
  }

  integer(): number {
    return Number.isSafeInteger(this.value) ? (this.value as number) : this.fail('must be an integer');
  }

  positive(): number {
    const value = this.integer();
    return value > 0 ? value : this.fail('must be greater than 0');
  }

  boolean(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.fail('must be true or false');
  }

  items(): JsonField[] {
    if (!Array.isArray(this.value)) return this.fail('must be an array');
    return this.value.map((item, index) => new JsonField(item, this, index));
  }

  oneOf<const T extends string>(allowed: readonly T[]): T {
    if (allowed.includes(this.value as T)) return this.value as T;
    return this.fail(`must be one of ${allowed.map((item) => `"${item}"`).join(', ')}`);
  }

  /** Reads the field if it is present. */
  optional<T>(read: (field: JsonField) => T): T | undefined {
    return this.isAbsent ? undefined : read(this);
  }

  fail(problem: string): never {
    const found = this.isAbsent ? 'required field is missing' : problem;
    const message = this.path === '' ? `the request body ${problem}` : `${this.path}: ${found}`;
    throw new SimpleAgentsError('bad-request', message, this.path === '' ? {} : { field: this.path });
  }
}

/** The members of a part of the request that `wire` has and `ChatRequest` does not; undefined if there are none. */
export function extraOf(field: JsonField, wire: string, known: ReadonlySet<string>): WireExtra | undefined {
  const members = unknownMembers(field.object(), known);
  return members && { wire, members };
}

/** Adds a member in place, because copying the object for each of many members would take quadratic time. */
export function addMember(target: object, name: string, value: unknown): void {
  // An assignment would change the prototype for the name `__proto__`.
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** The members of `body` that are not in `known`; undefined if there are none. */
export function unknownMembers(
  body: Record<string, unknown>,
  known: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let rest: [string, unknown][] | undefined;
  for (const key of Object.keys(body)) if (!known.has(key)) (rest ??= []).push([key, body[key]]);
  return rest && Object.fromEntries(rest);
}
