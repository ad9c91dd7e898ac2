// A streamed answer with a schema: iterate its events, or the typed value as it grows, and await the whole. The call is
// made when reading begins; leaving the loop cancels it.
// Invariant: what is wrong with the finished answer is thrown by `final()` and at the end of `partials()`; the events
// tell only what the model said.

import type { AssembledMessage } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Notice, StreamEvent } from '../core/event.ts';
import type { Message } from '../core/message.ts';
import type { ModelStream } from '../core/provider.ts';
import { addUsage } from '../core/usage.ts';
import type { SchemaInput } from '../heal/index.ts';
import type { Completion } from './completion.ts';
import { GrowingValue } from './growing-value.ts';
import { Reading } from './reading.ts';
import { leftEarly, readTwice } from './stream.ts';
import {
  complaintsOf,
  isRepairable,
  toHealOptions,
  toTyped,
  type HealingOptions,
  type TypedCompletion,
} from './typed.ts';

export interface TypedCall {
  readonly schema: SchemaInput;
  healing(): Promise<HealingOptions>;
  /** Asks, with what was said since the request. */
  open(since: readonly Message[], signal: AbortSignal): Promise<ModelStream>;
}

export class TypedStream<T, P> implements AsyncIterable<StreamEvent> {
  readonly #call: TypedCall;
  readonly #cancel = new AbortController();
  #begun = false;
  #reading = new Reading();
  #value: GrowingValue | undefined;
  /** What came before the answer that counts. */
  #earlier: { readonly completions: Completion[]; readonly notices: Notice[] } = { completions: [], notices: [] };
  #end: { readonly completion: TypedCompletion<T> } | { readonly failure: unknown } | undefined;

  constructor(call: TypedCall) {
    this.#call = call;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#begun) throw readTwice();
    this.#begun = true;
    try {
      const healing = await this.#call.healing();
      const since: Message[] = [];
      for (let repairs = healing.repair ?? 0; this.#end === undefined; repairs--) {
        yield* this.#ask(since, healing);
        const repair = this.#settle(healing, repairs > 0);
        if (repair === undefined) continue;
        since.push(...repair.complaints);
        yield repair.notice;
      }
    } finally {
      if (this.#end === undefined) this.#cancel.abort();
    }
  }

  /** The typed value as it grows, a copy for each change. */
  async *partials(): AsyncGenerator<P, void, undefined> {
    for await (const _event of this) {
      if (this.#value?.update() !== true) continue;
      const value = this.#value.snapshot();
      if (value !== undefined) yield value as P;
    }
    await this.final();
  }

  /** The answer as it has arrived so far, also after a failure. Tool calls appear only when whole. */
  get partial(): AssembledMessage {
    return this.#reading.message;
  }

  /** The typed value so far; `undefined` while there is nothing to show. */
  get partialValue(): P | undefined {
    this.#value?.update();
    return this.#value?.snapshot() as P | undefined;
  }

  /** The whole answer and its value, reading what has not been read. Throws `healing` when there is no value. */
  async final(): Promise<TypedCompletion<T>> {
    if (!this.#begun) for await (const _event of this);
    if (this.#end === undefined) return leftEarly();
    if ('failure' in this.#end) throw this.#end.failure;
    return this.#end.completion;
  }

  async *#ask(since: readonly Message[], healing: HealingOptions): AsyncGenerator<StreamEvent, void, undefined> {
    const stream = await this.#call.open(since, this.#cancel.signal);
    this.#reading = new Reading();
    this.#value = new GrowingValue(this.#call.schema, toHealOptions(healing));
    for await (const event of this.#reading.read(stream)) {
      this.#value.push(event);
      yield event;
    }
  }

  /** Takes the answer as the last, or gives what to tell the model and the reader before it is asked again. */
  #settle(healing: HealingOptions, mayRepair: boolean): { complaints: Message[]; notice: Notice } | undefined {
    const completion = this.#reading.completion ?? leftEarly();
    try {
      this.#end = { completion: this.#whole(toTyped(completion, this.#call.schema, healing)) };
    } catch (error) {
      if (mayRepair && error instanceof SimpleAgentsError && isRepairable(completion)) {
        const detail = `the answer does not fit its schema (${error.message}); the model is asked again`;
        const notice: Notice = { type: 'notice', kind: 'repair', detail };
        this.#earlier.completions.push(completion);
        this.#earlier.notices.push(...completion.notices, notice);
        return { complaints: complaintsOf(completion, error), notice };
      }
      this.#end = { failure: error };
    }
    return undefined;
  }

  /** The last answer with what the earlier ones cost and said. */
  #whole(typed: TypedCompletion<unknown>): TypedCompletion<T> {
    const { completions, notices } = this.#earlier;
    const usage = completions.reduce((sum, each) => addUsage(each.usage, sum), typed.usage);
    return { ...typed, usage, notices: [...notices, ...typed.notices] } as TypedCompletion<T>;
  }
}
