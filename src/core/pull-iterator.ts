// An async iterator over a synchronous machine: `take` gives what is already there, `request` asks for more, and `wake`
// says that more may be there. An item that is already there costs one promise; an async generator needs several.
// Invariants:
//   1. Calls of `next` are answered in order, even if several are made before the first one settles.
//   2. What `take` throws rejects one `next`. The machine decides what the following ones get.

export const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

export abstract class PullIterator<T> implements AsyncIterableIterator<T, undefined> {
  #pending: PromiseWithResolvers<IteratorResult<T, undefined>> | undefined;

  /** The next result; `undefined` when there is none yet. */
  protected abstract take(): IteratorResult<T, undefined> | undefined;

  /** A reader waits for what `take` did not have. */
  protected abstract request(): void;

  /** The reader stopped before the end. */
  protected abstract leave(): void;

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#pending !== undefined) {
      const again = () => this.next();
      return this.#pending.promise.then(again, again);
    }
    try {
      const result = this.take();
      if (result !== undefined) return Promise.resolve(result);
    } catch (error) {
      return Promise.reject(error);
    }
    const { promise } = (this.#pending = Promise.withResolvers());
    this.request();
    return promise;
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.leave();
    return Promise.resolve(finished);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** To be called whenever `take` may have a result that it did not have before. */
  protected wake(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    try {
      const result = this.take();
      if (result === undefined) return this.request();
      this.#pending = undefined;
      pending.resolve(result);
    } catch (error) {
      this.#pending = undefined;
      pending.reject(error);
    }
  }
}
