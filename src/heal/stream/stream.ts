// Healing while the text comes: `push` chunks, look at `partial`, and `end()` gives what one-shot healing of the whole
// text gives — the same value, flags and confidence, however the text was cut.

import { HealBudget } from '../budget.ts';
import { accept, healValidJson } from '../heal.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { compileSchema } from '../schema/schema-compiler.ts';
import { HealSession } from '../session.ts';
import { HealTarget } from '../schema/heal-target.ts';
import { toTarget, type InferOutput, type SchemaArgument, type SchemaInput } from '../schema/schema-input.ts';
import type { Patch } from './patch.ts';
import { PartialView } from './partial-view.ts';
import { healEmbeddedJson } from '../parse/embedded-json.ts';
import type { DeepPartial, PartialOf } from './partial-type.ts';

export interface HealStream<T = unknown, P = DeepPartial<T>> {
  /** Takes more text and tells what changed in the value so far. */
  push(chunk: string): Patch[];
  /** For a text that is known to be cut: reads its last quote as if nothing followed. */
  settle(): Patch[];
  /** The value so far: live, it changes as text comes. `undefined` while there is nothing to show. */
  readonly partial: P | undefined;
  /** A copy of the value so far that later text does not change. It shares what is finished: do not write to it. */
  snapshot(): P | undefined;
  /** The final value. Throws `HealError` as one-shot healing does. */
  end(): HealResult<T>;
}

const anything = new HealTarget(compileSchema(true));

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
      const { text } = session;
      const parsed = healValidJson(text, target, budgeted) ?? healEmbeddedJson(text, target, budgeted);
      return accept(parsed ?? session.finish(), schema, budgeted);
    },
  };
}
