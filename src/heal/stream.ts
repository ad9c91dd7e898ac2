// Healing while the text comes: `push` chunks, look at `partial`, and `end()` gives what one-shot healing of the whole
// text gives — the same value, flags and confidence, however the text was cut.

import { accept } from './heal.ts';
import type { HealOptions, HealResult } from './option.ts';
import { HealSession } from './session.ts';
import { toTarget, type InferOutput, type SchemaInput } from './standard.ts';
import { View } from './view.ts';
import type { DeepPartial } from './partial.ts';

export interface HealStream<T = unknown> {
  push(chunk: string): void;
  /** For a text that is known to be cut: reads its last quote as if nothing followed. */
  settle(): void;
  /** The value so far: live, it changes as text comes. `undefined` while there is nothing to show. */
  readonly partial: DeepPartial<T> | undefined;
  /** A copy of the value so far that will not change. */
  snapshot(): DeepPartial<T> | undefined;
  /** The final value. Throws `HealError` as one-shot healing does. */
  end(): HealResult<T>;
}

export function healStream(schema?: undefined, options?: HealOptions): HealStream;
export function healStream<const S extends SchemaInput>(schema: S, options?: HealOptions): HealStream<InferOutput<S>>;
export function healStream(schema?: SchemaInput, options: HealOptions = {}): HealStream {
  const target = schema === undefined ? undefined : toTarget(schema);
  const session = new HealSession(target, options);
  const view = target === undefined ? undefined : new View(session.machine, target.schema);
  return {
    push: (chunk) => session.push(chunk),
    settle: () => session.machine.settle(),
    get partial() {
      return view === undefined ? session.untyped : view.value;
    },
    snapshot() {
      return structuredClone(this.partial);
    },
    end: () => accept(session.end(), schema, options),
  };
}
