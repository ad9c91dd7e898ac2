// The pull iterator: results that are there, pending reads, failures, and a reader that leaves.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finished, PullIterator } from './pull-iterator.ts';

/** Items are pushed in from outside; an `Error` is thrown where it is reached. */
class Queue extends PullIterator<number> {
  requests = 0;
  isLeft = false;
  readonly #items: (number | Error)[] = [];
  #isOver = false;

  push(...items: readonly (number | Error)[]): void {
    this.#items.push(...items);
    this.wake();
  }

  end(): void {
    this.#isOver = true;
    this.wake();
  }

  protected override take(): IteratorResult<number, undefined> | undefined {
    const item = this.#items.shift();
    if (item instanceof Error) throw item;
    if (item !== undefined) return { done: false, value: item };
    return this.#isOver || this.isLeft ? finished : undefined;
  }

  protected override request(): void {
    this.requests++;
  }

  protected override leave(): void {
    this.isLeft = true;
    this.wake();
  }
}

describe('PullIterator', () => {
  test('returns items that are there without a request', async () => {
    const queue = new Queue();
    queue.push(1, 2);
    queue.end();
    const read: number[] = [];
    for await (const item of queue) read.push(item);
    assert.deepEqual(read, [1, 2]);
    assert.equal(queue.requests, 0);
  });

  test('answers several pending reads in order', async () => {
    const queue = new Queue();
    const reads = Promise.all([queue.next(), queue.next(), queue.next()]);
    queue.push(1);
    queue.push(2);
    queue.end();
    assert.deepEqual(await reads, [{ done: false, value: 1 }, { done: false, value: 2 }, finished]);
  });

  test('requests again when it is woken for nothing', async () => {
    const queue = new Queue();
    const read = queue.next();
    queue.push();
    assert.equal(queue.requests, 2);
    queue.push(1);
    assert.deepEqual(await read, { done: false, value: 1 });
  });

  test('rejects one read with what the machine throws, pending or not', async () => {
    const queue = new Queue();
    const read = queue.next();
    queue.push(new Error('first'), new Error('second'), 3);
    await assert.rejects(read, { message: 'first' });
    await assert.rejects(queue.next(), { message: 'second' });
    assert.deepEqual(await queue.next(), { done: false, value: 3 });
  });

  test('ends a pending read when the reader leaves', async () => {
    const queue = new Queue();
    const read = queue.next();
    assert.deepEqual(await queue.return(), finished);
    assert.deepEqual(await read, finished);
    assert.ok(queue.isLeft);
  });
});
