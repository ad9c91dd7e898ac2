// Healing while the text arrives: `push` chunks, read `partial`, and `end()` returns the same value, flags and
// confidence as one-shot healing of the entire text, however it was split into chunks.

import { HealBudget } from '../budget.ts';
import { accept, finishSession } from '../heal.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { compileSchema } from '../schema/schema-compiler.ts';
import { HealSession } from '../session.ts';
import { HealTarget } from '../schema/heal-target.ts';
import { toTarget, type InferOutput, type SchemaArgument, type SchemaInput } from '../schema/schema-input.ts';
import type { Patch } from './patch.ts';
import { PartialView } from './partial-view.ts';
import type { DeepPartial, PartialOf } from './partial-type.ts';

export interface HealStream<T = unknown, P = DeepPartial<T>> {
  /** Adds text and returns the changes of the partial value. */
  push(chunk: string): Patch[];
  /** For a text known to be truncated: treats its last quote as if nothing followed. */
  settle(): Patch[];
  /** The partial value. It is live: it changes as text arrives. `undefined` if nothing is visible yet. */
  readonly partial: P | undefined;
  /** A copy of the partial value that later text does not change. It shares completed parts: do not modify it. */
  snapshot(): P | undefined;
  /** Returns the final value. Throws `HealError` like one-shot healing. */
  end(): HealResult<T>;
}

const anything = new HealTarget(compileSchema(true).node);

export function healStream(schema?: undefined, options?: HealOptions): HealStream;
export function healStream<const S extends SchemaInput>(
  schema: S & SchemaArgument<S>,
  options?: HealOptions,
): HealStream<InferOutput<S>, PartialOf<S>>;
export function healStream(schema?: SchemaInput, options: HealOptions = {}): HealStream {
  const { budget = new HealBudget() } = options;
  const target = schema === undefined ? undefined : toTarget(schema, budget);
  const budgeted = { ...options, budget };
  const session = new HealSession(target, budgeted);
  const view = new PartialView(session.machine, (target ?? anything).schema);
  return {
    push(chunk) {
      session.push(chunk);
      return view.update();
    },
    settle() {
      session.machine.settle();
      return view.update();
    },
    get partial() {
      return view.value;
    },
    snapshot: () => view.snapshot(),
    end() {
      return accept(finishSession(session, target, budgeted), schema, budgeted);
    },
  };
}
