// The error thrown when a text cannot be healed. It carries whatever was found, so that a caller may still use it.

import type { Flag, PathKey } from './flag.ts';

export type HealErrorKind =
  | 'no-value'
  | 'strict'
  | 'guess'
  | 'low-confidence'
  | 'missing-field'
  | 'invalid-value'
  | 'contradiction'
  | 'too-large'
  | 'too-deep'
  | 'invalid-schema'
  | 'schema-too-complex';

export interface HealErrorDetails {
  readonly value?: unknown;
  readonly flags?: readonly Flag[];
  readonly confidence?: number;
  readonly path?: readonly PathKey[];
}

export class HealError extends Error {
  override readonly name = 'HealError';
  readonly kind: HealErrorKind;
  /** The value that was found, if any. */
  readonly value: unknown;
  readonly flags: readonly Flag[];
  readonly confidence: number;
  readonly path: readonly PathKey[];

  constructor(kind: HealErrorKind, message: string, details: HealErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.value = details.value;
    this.flags = details.flags ?? [];
    this.confidence = details.confidence ?? 0;
    this.path = details.path ?? [];
  }
}

/** Formats a path for messages: `items[2].name`. */
export function formatPath(path: readonly PathKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text === '' ? 'the value' : text;
}
