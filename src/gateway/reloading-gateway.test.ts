// Replacing a gateway at run time: which one handles a call, and when the old one is closed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EmbeddingResponse } from '../core/embedding.ts';
import type { ModelStream, Outcome } from '../core/provider.ts';
import { noUsage } from '../core/usage.ts';
import type { Gateway } from './gateway.ts';
import { ReloadingGateway } from './reloading-gateway.ts';

const request = { model: 'm', messages: [] };
const { signal } = new AbortController();
const outcome: Outcome = { type: 'complete', stopReason: 'end', usage: noUsage };

/** A gateway whose calls the test ends. */
class FakeGateway implements Gateway {
  readonly name: string;
  readonly ends: (() => void)[] = [];
  closed = 0;

  constructor(name: string) {
    this.name = name;
  }

  open(): Promise<ModelStream> {
    if (this.name === 'failing') return Promise.reject(new Error('no'));
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.ends.push(() => resolve(outcome));
    return Promise.resolve({ target: this.name, ended: promise, async *[Symbol.asyncIterator]() {} });
  }

  embed(): Promise<EmbeddingResponse> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.ends.push(() => resolve(outcome));
    return promise.then(() => ({ target: this.name, ended: promise, model: 'm', vectors: [], usage: noUsage }));
  }

  resolve = () => ({ provider: { name: this.name, type: this.name }, model: 'm' });
  hasProvider = () => true;
  forward = () => Promise.reject(new Error('not forwarded'));
  countTokens = () => Promise.resolve(undefined);
  modelListings = () => Promise.resolve([]);
  modelListing = () => Promise.reject(new Error('not used'));
  costOf = () => undefined;
  contextWindowOf = () => undefined;

  close(): Promise<void> {
    this.closed++;
    return Promise.resolve();
  }
}

const settled = () => new Promise(setImmediate);

describe('a reload', () => {
  test('lets embedding calls in progress end on the old gateway', async () => {
    const [first, second] = [new FakeGateway('first'), new FakeGateway('second')];
    const gateway = new ReloadingGateway(first, () => Promise.resolve(second));
    const embedding = gateway.embed({ model: 'm', inputs: ['a'], stream: false }, signal);
    await gateway.reload();
    await settled();
    assert.equal(first.closed, 0);
    first.ends[0]?.();
    assert.equal((await embedding).target, 'first');
    await settled();
    assert.equal(first.closed, 1);
  });

  test('lets calls in progress end on the old gateway, then closes it', async () => {
    const [first, second] = [new FakeGateway('first'), new FakeGateway('second')];
    const gateway = new ReloadingGateway(first, () => Promise.resolve(second));
    await gateway.open(request, signal);
    await gateway.open(request, signal);
    await gateway.reload();
    assert.equal((await gateway.open(request, signal)).target, 'second');
    assert.equal(gateway.resolve().provider.name, 'second');
    first.ends[0]?.();
    await settled();
    assert.equal(first.closed, 0);
    first.ends[1]?.();
    await settled();
    assert.deepEqual([first.closed, second.closed], [1, 0]);
  });

  test('closes an unused gateway at once, also after failed calls', async () => {
    const first = new FakeGateway('failing');
    const gateway = new ReloadingGateway(first, () => Promise.resolve(new FakeGateway('second')));
    await assert.rejects(gateway.open(request, signal), /no/);
    await gateway.reload();
    assert.equal(first.closed, 1);
  });

  test('that fails changes nothing', async () => {
    const first = new FakeGateway('first');
    const gateway = new ReloadingGateway(first, () => Promise.reject(new Error('bad file')));
    await assert.rejects(gateway.reload(), /bad file/);
    assert.equal((await gateway.open(request, signal)).target, 'first');
    assert.equal(first.closed, 0);
  });

  test('during a reload is made once more, for all callers together', async () => {
    let made = 0;
    const gateway = new ReloadingGateway(new FakeGateway('first'), async () => {
      await settled();
      return new FakeGateway(`made ${++made}`);
    });
    await Promise.all([gateway.reload(), gateway.reload(), gateway.reload()]);
    assert.equal(made, 2);
    assert.equal(gateway.resolve().provider.name, 'made 2');
  });

  test('never overlaps another one', async () => {
    let [making, most] = [0, 0];
    const gateway = new ReloadingGateway(new FakeGateway('first'), async () => {
      most = Math.max(most, ++making);
      await settled();
      making--;
      return new FakeGateway('made');
    });
    const first = gateway.reload();
    const next = gateway.reload();
    // There are a few microtasks between the end of one and the start of the next.
    const between = first.then(() => gateway.reload());
    await Promise.all([first, next, between]);
    assert.equal(most, 1);
  });

  test('can succeed after one that failed', async () => {
    let tries = 0;
    const gateway = new ReloadingGateway(new FakeGateway('first'), async () => {
      await settled();
      if (++tries === 1) throw new Error('bad file');
      return new FakeGateway('good');
    });
    const [bad, good] = await Promise.allSettled([gateway.reload(), gateway.reload()]);
    assert.deepEqual([bad.status, good.status], ['rejected', 'fulfilled']);
  });
});

describe('closing', () => {
  test('closes every gateway', async () => {
    const all = [new FakeGateway('first'), new FakeGateway('second')];
    const gateway = new ReloadingGateway(all[0] as Gateway, () => Promise.resolve(all[1] as Gateway));
    await gateway.open(request, signal);
    await gateway.reload();
    await gateway.close();
    assert.deepEqual(
      all.map(({ closed }) => closed),
      [1, 1],
    );
    all[0]?.ends[0]?.();
    await settled();
    assert.equal(all[0]?.closed, 1);
  });

  test('also closes the one that is being created', async () => {
    const late = new FakeGateway('late');
    const gateway = new ReloadingGateway(new FakeGateway('first'), async () => {
      await settled();
      return late;
    });
    const reloading = gateway.reload();
    await gateway.close();
    await reloading;
    assert.equal(late.closed, 1);
  });
});
