// A streamed response with a schema: its events, partial typed values, and the final value. A response that does not match
// the schema fails the stream, or the model is called again; the next response then follows a `repair` notice.

import type { AssembledMessage } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Notice, StreamEvent } from '../core/event.ts';
import type { Message } from '../core/message.ts';
import type { ModelStream } from '../core/provider.ts';
import { omitUndefined } from '../core/json.ts';
import { addUsage, type CostOf } from '../core/usage.ts';
import { findContradiction, formatPath, type SchemaInput } from '../heal/index.ts';
import { toJsonText } from '../heal/report/json-text.ts';
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
  /** Calls the model with the messages that were added since the request. */
  open(since: readonly Message[], signal: AbortSignal): Promise<ModelStream>;
}

export interface PartialOptions {
  /** Whether the values only grow. Default: true. */
  readonly monotone?: boolean;
}

/** The last partial value, and the response that it came from. */
interface ShownValue {
  readonly source: PartialValue;
  readonly value: unknown;
}

export class TypedStream<T, P> extends ResponseStream<TypedCompletion<T>> {
  readonly #call: TypedCall;
  #healing: HealingOptions = {};
  #builder: CompletionBuilder;
  #value: PartialValue | undefined;
  #isMonotone = true;
  /** Responses that did not match the schema, and what was reported about them. */
  readonly #failed: Completion[] = [];
  readonly #notices: Notice[] = [];
  readonly #since: Message[] = [];

  constructor(call: TypedCall) {
    super();
    this.#call = call;
    this.#builder = new CompletionBuilder(call.costOf);
  }

  /**
   * The typed value so far, a copy for each change; the last is the final value. Each contains the one before: nothing
   * that was shown is changed or removed. If the final value would do so, this throws a `healing` error at the end, and
   * `final()` still returns the value. With `monotone: false`, values appear a little earlier and may be corrected.
   */
  async *partials({ monotone = true }: PartialOptions = {}): AsyncGenerator<P, void, undefined> {
    this.#isMonotone = monotone;
    let shown: ShownValue | undefined;
    for await (const _event of this) {
      const source = this.#value;
      if (source?.update() !== true) continue;
      // After a repair, the model writes the value again from its beginning.
      if (monotone && shown !== undefined && shown.source !== source) continue;
      const value = source.snapshot();
      if (value === undefined) continue;
      shown = { source, value };
      yield value as P;
    }
    // The final value may contain more, such as a default that was undecided until the end.
    const completion = await this.final();
    if (completion.value === undefined || toJsonText(completion.value) === toJsonText(shown?.value)) return;
    if (monotone && shown !== undefined) this.#throwIfContradicted(shown.value, completion);
    yield completion.value as unknown as P;
  }

  #throwIfContradicted(shown: unknown, completion: TypedCompletion<T>): void {
    const options = toHealOptions(this.#healing);
    const path = findContradiction(shown, completion.text, this.#call.schema, options);
    if (path === undefined) return;
    const { text, value, flags, confidence, target } = completion;
    const field = formatPath(path);
    const remedy = 'use the value of final(), or partials({ monotone: false }) to see corrections';
    throw new SimpleAgentsError('healing', `${field}: the final value contradicts a partial value; ${remedy}`, {
      text,
      value,
      flags,
      confidence,
      target,
      field,
    });
  }

  /** The message so far, also after a failure. It contains only complete tool calls. */
  get partial(): AssembledMessage {
    return this.#builder.message;
  }

  /** The typed value so far, which only grows within a response; `undefined` while there is none. */
  get partialValue(): P | undefined {
    this.#value?.update();
    return this.#value?.snapshot() as P | undefined;
  }

  /** Makes the first call, so that an invalid request fails before anything is read. */
  protected override async open(signal: AbortSignal): Promise<AsyncIterable<StreamEvent>> {
    this.#healing = await this.#call.healing();
    return this.#responses(await this.#open(signal), signal);
  }

  protected override take(event: StreamEvent): TypedCompletion<T> | undefined {
    this.#value?.push(event);
    const completion = this.#builder.take(event, this.target);
    return completion === undefined ? undefined : this.#settle(completion);
  }

  async *#responses(first: ModelStream, signal: AbortSignal): AsyncGenerator<StreamEvent, void, undefined> {
    yield* first;
    // The reader has taken the last event by now. If the response was usable, it does not read on.
    for (let next = 0; next < this.#notices.length; next++) {
      yield this.#notices[next] as Notice;
      yield* await this.#open(signal);
    }
  }

  async #open(signal: AbortSignal): Promise<ModelStream> {
    const stream = await this.#call.open(this.#since, signal);
    this.target = stream.target;
    this.#builder = new CompletionBuilder(this.#call.costOf);
    this.#value = new PartialValue(this.#call.schema, {
      ...toHealOptions(this.#healing),
      monotone: this.#isMonotone,
    });
    return stream;
  }

  /** The completion with its value; `undefined` if the model has to be called again. */
  #settle(completion: Completion): TypedCompletion<T> | undefined {
    try {
      return this.#combine(toTyped(completion, this.#call.schema, this.#healing));
    } catch (error) {
      const mayRepair = this.#failed.length < (this.#healing.repair ?? 0) && isRepairable(completion);
      if (!mayRepair || !(error instanceof SimpleAgentsError)) throw error;
      const detail = `the response does not match its schema (${error.message}); calling the model again`;
      this.#failed.push(completion);
      this.#notices.push({ type: 'notice', kind: 'repair', detail });
      this.#since.push(...repairMessagesFor(completion, error));
      return undefined;
    }
  }

  /** The last response with the cost and the notices of the failed ones added. */
  #combine(typed: TypedCompletion<unknown>): TypedCompletion<T> {
    const usage = this.#failed.reduce((sum, each) => addUsage(each.usage, sum), typed.usage);
    const notices = [...this.#failed.flatMap((each) => each.notices), ...this.#notices, ...typed.notices];
    const costs = [...this.#failed, typed].map((each) => each.cost ?? Number.NaN);
    const cost = costs.reduce((sum, each) => sum + each);
    // If one of the costs is unknown, so is the sum.
    return omitUndefined({
      ...typed,
      usage,
      cost: Number.isNaN(cost) ? undefined : cost,
      notices,
    }) as TypedCompletion<T>;
  }
}
