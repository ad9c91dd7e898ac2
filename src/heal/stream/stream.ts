// Healing while the text arrives: `push` chunks, read `partial`, and `end()` returns the same value, flags and
// confidence as one-shot healing of the entire text, however it was split into chunks.

import { HealBudget } from '../budget.ts';
import { Commit } from './commit.ts';
import { contradictionOf } from './growth.ts';
import { GrowingValue } from './growing-value.ts';
import { formatPath, HealError } from '../report/error.ts';
import { accept, finishSession } from '../heal.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { compileSchema } from '../schema/schema-compiler.ts';
import { HealSession } from '../session.ts';
import { HealTarget } from '../schema/heal-target.ts';
import { toTarget, type InferOutput, type SchemaArgument, type SchemaInput } from '../schema/schema-input.ts';
import type { Patch } from './patch.ts';
import type { PathKey } from '../report/flag.ts';
import { PartialView } from './partial-view.ts';
import { hasStreamRules } from './visibility.ts';
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

export interface HealStreamOptions extends HealOptions {
  /**
   * The partial value only grows: nothing that was visible is changed or removed. `end()` throws a `HealError` of kind
   * `contradiction` if the final value would change it. Needs a schema. Default: false.
   */
  readonly monotone?: boolean;
}

/** A partial value that follows the text of a session. */
interface LiveValue {
  /** Updates the value to the text read so far and returns the changes. */
  update(): Patch[];
  readonly value: unknown;
  snapshot(): unknown;
}

const anything = new HealTarget(compileSchema(true).node);

export function healStream(schema?: undefined, options?: HealOptions): HealStream;
export function healStream<const S extends SchemaInput>(
  schema: S & SchemaArgument<S>,
  options?: HealStreamOptions,
): HealStream<InferOutput<S>, PartialOf<S>>;
export function healStream(schema?: SchemaInput, { monotone = false, ...options }: HealStreamOptions = {}): HealStream {
  const { budget = new HealBudget() } = options;
  const target = schema === undefined ? undefined : toTarget(schema, budget);
  const budgeted = { ...options, budget };
  const session = new HealSession(target, budgeted);
  const view = monotone
    ? new CommittedView(session, target)
    : new PartialView(session.machine, (target ?? anything).schema);
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
      session.end();
      const healed = finishSession(session, target, budgeted);
      const result = accept(healed, schema, budgeted);
      // Compares the value before validation, because a schema library may transform it.
      if (monotone && target !== undefined) {
        // How much of the last characters is decided before the end depends on the chunks. The outcome does not.
        view.update();
        const path = contradictionOf(view.value, healed.value, hasStreamRules(target.schema));
        if (path !== undefined) throw toContradiction(path, result);
      }
      return result;
    },
  };
}

/**
 * Where the value of a text contradicts a partial value that was shown; `undefined` if it contains it. Throws
 * `HealError` if the text has no value.
 */
export function findContradiction(
  shown: unknown,
  text: string,
  schema: SchemaInput,
  options: HealOptions = {},
): readonly PathKey[] | undefined {
  const { budget = new HealBudget() } = options;
  const target = toTarget(schema, budget);
  const session = new HealSession(target, { ...options, budget });
  session.push(text);
  const { value } = finishSession(session, target, { ...options, budget });
  return contradictionOf(shown, value, hasStreamRules(target.schema));
}

/** Shows only what is certain. */
class CommittedView implements LiveValue {
  readonly #commit: Commit;
  readonly #value = new GrowingValue();

  constructor(session: HealSession, target: HealTarget | undefined) {
    if (target === undefined) throw new HealError('invalid-schema', 'a monotone partial value needs a schema');
    this.#commit = new Commit(session, target.schema, this.#value);
  }

  update(): Patch[] {
    this.#commit.advance();
    return this.#value.takePatches();
  }

  get value(): unknown {
    return this.#value.value;
  }

  snapshot(): unknown {
    return this.#value.snapshot();
  }
}

function toContradiction(path: readonly PathKey[], result: HealResult): HealError {
  const problem = 'the final value contradicts the partial value that was shown';
  return new HealError('contradiction', `${formatPath(path)}: ${problem}`, { ...result, path });
}
