// Reads a remote stream as the upstream's own bytes, for pass-through to a client of the same wire. The wire's
// scanner follows along, so that `ended` knows what the events would have said.

import type { SimpleAgentsError } from '../core/error.ts';
import { FrameSplitter } from '../wire/frame-splitter.ts';
import type { StreamScanner } from '../wire/wire.ts';
import type { RemoteCall } from './remote-call.ts';
import type { StreamOutcome } from './stream-outcome.ts';
import { redactBytes } from '../transport/secret.ts';
import type { Upstream } from './upstream.ts';

const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class ByteReader implements AsyncIterator<Uint8Array> {
  readonly #call: RemoteCall;
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #scanner: StreamScanner;
  readonly #outcome: StreamOutcome;
  readonly #secrets: readonly string[];
  /** What was read before the stream was committed. */
  readonly #held: Uint8Array[];
  #pulling: Promise<IteratorResult<Uint8Array>> | undefined;
  readonly #cutter = new FrameSplitter();
  #framesBefore = 0;
  /** To be thrown next. */
  #failure: SimpleAgentsError | undefined;
  #isClosed = false;

  constructor({ wire, body, call, secrets }: Upstream, outcome: StreamOutcome, held: Uint8Array[]) {
    this.#call = call;
    this.#body = body;
    this.#scanner = wire.scanStream();
    this.#outcome = outcome;
    this.#held = held;
    this.#secrets = secrets;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#pulling !== undefined) {
      const again = () => this.next();
      return this.#pulling.then(again, again);
    }
    if (this.#isClosed) return Promise.resolve(finished);
    if (this.#call.aborted) return Promise.reject(this.#fail(this.#call.signal.reason));
    if (this.#failure !== undefined) return Promise.reject(this.#fail(this.#failure));
    const held = this.#held.shift();
    if (held !== undefined) return new Promise((resolve) => resolve(this.#hand(held)));
    this.#call.startWaiting(this.#scanner.frames !== this.#framesBefore);
    this.#framesBefore = this.#scanner.frames;
    // Callbacks, for an async function around each chunk was a tenth of what a chunk costs.
    this.#pulling = this.#body.next().then(this.#accept, this.#interrupt);
    return this.#pulling;
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#isClosed = true;
    this.#outcome.leave(this.#scanner.usage);
    return Promise.resolve(finished);
  }

  readonly #accept = (result: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> => {
    this.#call.stopWaiting();
    this.#pulling = undefined;
    return result.done ? this.#finish() : this.#hand(result.value);
  };

  /**
   * The provider's own failure goes out: the client reads it for itself. A frame that a client could not read does not, nor
   * does anything after the end; what stands before it in the same chunk goes out before the failure is thrown.
   */
  #hand(chunk: Uint8Array): IteratorResult<Uint8Array> {
    let end = 0;
    for (const frameEnd of this.#cutter.frameEnds(chunk)) {
      this.#scanner.push(chunk.subarray(end, frameEnd));
      const { failure, isReported, done } = this.#scanner;
      if (failure !== undefined && !isReported) return this.#handLast(chunk.subarray(0, end), failure);
      end = frameEnd;
      if (done || failure !== undefined) {
        this.#conclude();
        // A failure may quote the key it came of.
        return { done: false, value: redactBytes(chunk.subarray(0, end), failure === undefined ? [] : this.#secrets) };
      }
    }
    return { done: false, value: chunk };
  }

  /** What came before a failure, which is thrown when it was taken. */
  #handLast(rest: Uint8Array, failure: SimpleAgentsError): IteratorResult<Uint8Array> {
    if (rest.length === 0) throw this.#fail(failure);
    this.#failure = failure;
    return { done: false, value: rest };
  }

  /** What ended too early is a failure that the client cannot read for itself. */
  #finish(): IteratorResult<Uint8Array> {
    this.#scanner.end();
    if (this.#scanner.failure !== undefined) throw this.#fail(this.#scanner.failure);
    return this.#conclude();
  }

  #conclude(): IteratorResult<Uint8Array> {
    this.#scanner.end();
    this.#isClosed = true;
    const { failure, stopReason, usage } = this.#scanner;
    if (failure === undefined) this.#outcome.complete(stopReason ?? 'end', usage);
    else this.#outcome.fail(failure, usage);
    return finished;
  }

  readonly #interrupt = (error: unknown): IteratorResult<Uint8Array> => {
    this.#call.stopWaiting();
    this.#pulling = undefined;
    if (this.#isClosed) return finished;
    this.#scanner.end();
    if (this.#call.aborted || this.#scanner.failure !== undefined) throw this.#fail(error);
    return this.#conclude();
  };

  #fail(error: unknown): unknown {
    this.#isClosed = true;
    return this.#outcome.fail(error, this.#scanner.usage);
  }
}
