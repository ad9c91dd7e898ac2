// Reads a remote stream as the upstream's own bytes, for pass-through to a client of the same wire. The wire's scanner
// reads along, so that `ended` has the same stop reason and usage as the events would have.

import type { SimpleAgentsError } from '../core/error.ts';
import { finished, PullIterator } from '../core/pull-iterator.ts';
import { FrameSplitter } from '../wire/frame-splitter.ts';
import type { StreamScanner } from '../wire/wire.ts';
import type { BodyTurns } from './body-turns.ts';
import type { RemoteCall } from './remote-call.ts';
import type { StreamOutcome } from './stream-outcome.ts';
import { redactBytes } from '../transport/secret.ts';
import type { Upstream } from './upstream.ts';

export class ByteReader extends PullIterator<Uint8Array> {
  readonly #call: RemoteCall;
  readonly #body: BodyTurns;
  readonly #scanner: StreamScanner;
  readonly #outcome: StreamOutcome;
  readonly #secrets: readonly string[];
  /** Chunks that were read and not yet returned. At first, those that came before the stream was committed. */
  readonly #held: Uint8Array[];
  /** How the body ended, when it has. */
  #bodyEnd: { readonly error?: unknown } | undefined;
  readonly #cutter = new FrameSplitter();
  #framesBefore = 0;
  /** Thrown by the next read. */
  #failure: SimpleAgentsError | undefined;
  #isClosed = false;

  constructor({ wire, body, call, secrets }: Upstream, outcome: StreamOutcome, held: Uint8Array[]) {
    super();
    this.#call = call;
    this.#body = body;
    this.#scanner = wire.scanStream();
    this.#outcome = outcome;
    this.#held = held;
    this.#secrets = secrets;
  }

  protected override take(): IteratorResult<Uint8Array, undefined> | undefined {
    if (this.#isClosed) return finished;
    if (this.#call.aborted) throw this.#fail(this.#call.signal.reason);
    if (this.#failure !== undefined) throw this.#fail(this.#failure);
    const chunk = this.#held.shift();
    if (chunk !== undefined) return this.#hand(chunk);
    return this.#bodyEnd && this.#finish(this.#bodyEnd);
  }

  protected override request(): void {
    this.#call.startWaiting(this.#scanner.frames !== this.#framesBefore);
    this.#framesBefore = this.#scanner.frames;
    this.#body.next().then(this.#accept, this.#interrupt);
  }

  protected override leave(): void {
    this.#isClosed = true;
    this.#outcome.leave(this.#scanner.usage);
  }

  readonly #accept = (result: IteratorResult<Uint8Array>): void => {
    this.#call.stopWaiting();
    const { done, value } = this.#body.take(result);
    if (done) this.#bodyEnd = {};
    else this.#held.push(value);
    this.wake();
  };

  readonly #interrupt = (error: unknown): void => {
    this.#call.stopWaiting();
    this.#bodyEnd = { error };
    this.wake();
  };

  /**
   * A failure that the provider reports is passed on, because the client can read it. A malformed frame and anything after
   * the end are not passed on; what precedes them in the same chunk is returned before the failure is thrown.
   */
  #hand(chunk: Uint8Array): IteratorYieldResult<Uint8Array> {
    let end = 0;
    for (const frameEnd of this.#cutter.frameEnds(chunk)) {
      this.#scanner.push(chunk.subarray(end, frameEnd));
      const { failure, isReported, done } = this.#scanner;
      if (failure !== undefined && !isReported) return this.#handLast(chunk.subarray(0, end), failure);
      end = frameEnd;
      if (done || failure !== undefined) {
        this.#conclude();
        // The failure may quote the API key.
        return { done: false, value: redactBytes(chunk.subarray(0, end), failure === undefined ? [] : this.#secrets) };
      }
    }
    return { done: false, value: chunk };
  }

  /** Returns what came before a failure. The next read throws the failure. */
  #handLast(rest: Uint8Array, failure: SimpleAgentsError): IteratorYieldResult<Uint8Array> {
    if (rest.length === 0) throw this.#fail(failure);
    this.#failure = failure;
    return { done: false, value: rest };
  }

  /** Throws if the body ended too early, because the client cannot see that in the bytes. */
  #finish(end: { readonly error?: unknown }): IteratorReturnResult<undefined> {
    this.#scanner.end();
    const { failure } = this.#scanner;
    if (failure !== undefined) throw this.#fail('error' in end ? end.error : failure);
    return this.#conclude();
  }

  #conclude(): IteratorReturnResult<undefined> {
    this.#scanner.end();
    this.#isClosed = true;
    const { failure, stopReason, usage } = this.#scanner;
    if (failure === undefined) this.#outcome.complete(stopReason ?? 'end', usage);
    else this.#outcome.fail(failure, usage);
    return finished;
  }

  #fail(error: unknown): unknown {
    this.#isClosed = true;
    return this.#outcome.fail(error, this.#scanner.usage);
  }
}
