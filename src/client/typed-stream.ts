// A streamed answer with a schema: its events, or the typed value as it grows, and in the end the value. An answer that
// is none fails the stream, or is asked for again: the next one then follows a `repair` notice.

import type { AssembledMessage } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Notice, StreamEvent } from '../core/event.ts';
import type { Message } from '../core/message.ts';
import type { ModelStream } from '../core/provider.ts';
import { omitUndefined } from '../core/json.ts';
import { addUsage, type CostOf } from '../core/usage.ts';
import type { SchemaInput } from '../heal/index.ts';
import { ResponseStream } from './response-stream.ts';
import { CompletionBuilder, type Completion } from './completion.ts';
import { PartialValue } from './partial-value.ts';
import {
  repairMessagesFor,
  isRepairable,
  toHealOptions,
  toTyped,
  type HealingOptions,
  type TypedCompletion,
} from './typed.ts';

export interface TypedCall {
  readonly schema: SchemaInput;
  healing(): Promise<HealingOptions>;
  readonly costOf?: CostOf;
  /** Asks, with what was said since the request. */
  open(since: readonly Message[], signal: AbortSignal): Promise<ModelStream>;
}

export class TypedStream<T, P> extends ResponseStream<TypedCompletion<T>> {
  readonly #call: TypedCall;
  #healing: HealingOptions = {};
  #builder: CompletionBuilder;
  #value: PartialValue | undefined;
  /** Answers that were none, and what was said of them. */
  readonly #failed: Completion[] = [];
  readonly #notices: Notice[] = [];
  readonly #since: Message[] = [];

  constructor(call: TypedCall) {
    super();
    this.#call = call;
    this.#builder = new CompletionBuilder(call.costOf);
  }

  /** The typed value as it grows, a copy for each change. */
  async *partials(): AsyncGenerator<P, void, undefined> {
    let last: unknown;
    for await (const _event of this) {
      if (this.#value?.update() !== true) continue;
      const value = this.#value.snapshot();
      if (value === undefined) continue;
      last = value;
      yield value as P;
    }
    // What was undecided to the end, a wrapper or a default, shows only in the final value.
    const { value } = await this.final();
    if (value !== undefined && toText(value) !== toText(last)) yield value as unknown as P;
  }

  /** The answer as it has arrived so far, also after a failure. Tool calls appear only when whole. */
  get partial(): AssembledMessage {
    return this.#builder.message;
  }

  /** The typed value so far; `undefined` while there is nothing to show. */
  get partialValue(): P | undefined {
    this.#value?.update();
    return this.#value?.snapshot() as P | undefined;
  }

  /** The first answer is asked for here, so that what cannot be asked fails before anything is read. */
  protected override async open(signal: AbortSignal): Promise<AsyncIterable<StreamEvent>> {
    this.#healing = await this.#call.healing();
    return this.#answers(await this.#ask(signal), signal);
  }

  protected override take(event: StreamEvent): TypedCompletion<T> | undefined {
    this.#value?.push(event);
    const completion = this.#builder.take(event, this.target);
    return completion === undefined ? undefined : this.#settle(completion);
  }

  async *#answers(first: ModelStream, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
    yield* first;
    // Whoever takes the events has seen the last one by now; where it was enough, nobody asks for more.
    for (let told = 0; told < this.#notices.length; told++) {
      yield this.#notices[told] as Notice;
      yield* await this.#ask(signal);
    }
  }

  async #ask(signal: AbortSignal): Promise<ModelStream> {
    const stream = await this.#call.open(this.#since, signal);
    this.target = stream.target;
    this.#builder = new CompletionBuilder(this.#call.costOf);
    this.#value = new PartialValue(this.#call.schema, toHealOptions(this.#healing));
    return stream;
  }

  /** The answer as a value; nothing when the model is to be asked again. */
  #settle(completion: Completion): TypedCompletion<T> | undefined {
    try {
      return this.#whole(toTyped(completion, this.#call.schema, this.#healing));
    } catch (error) {
      const mayRepair = this.#failed.length < (this.#healing.repair ?? 0) && isRepairable(completion);
      if (!mayRepair || !(error instanceof SimpleAgentsError)) throw error;
      const detail = `the answer does not fit its schema (${error.message}); the model is asked again`;
      this.#failed.push(completion);
      this.#notices.push({ type: 'notice', kind: 'repair', detail });
      this.#since.push(...repairMessagesFor(completion, error));
      return undefined;
    }
  }

  /** The last answer with what the failed ones cost and said. */
  #whole(typed: TypedCompletion<unknown>): TypedCompletion<T> {
    const usage = this.#failed.reduce((sum, each) => addUsage(each.usage, sum), typed.usage);
    const notices = [...this.#failed.flatMap((each) => each.notices), ...this.#notices, ...typed.notices];
    const costs = [...this.#failed, typed].map((each) => each.cost ?? Number.NaN);
    const cost = costs.reduce((sum, each) => sum + each);
    // With one of them unknown, so is the sum.
    return omitUndefined({
      ...typed,
      usage,
      cost: Number.isNaN(cost) ? undefined : cost,
      notices,
    }) as TypedCompletion<T>;
  }
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member));
}
