// The router: the order of targets, skipped targets, and the error if all fail.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectEvents, failing, stubbornProvider, textOf } from '../../../test/support/policies.ts';
import { failsWith } from '../../../test/support/fails-with.ts';
import { never, request } from '../../../test/support/upstream.ts';
import { SimpleAgentsError, type ErrorKind } from '../../core/error.ts';
import { text, type Block, type ImageBlock } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import { timeoutError } from '../../core/timeout.ts';
import { vendorNamed } from '../../providers/vendors.ts';
import { createRouter, type RoutedTarget, type RouterOptions } from './router.ts';

type Tested = RoutedTarget & { readonly provider: ReturnType<typeof stubbornProvider> };

function targetThat(name: string, error?: unknown, more: Omit<Partial<RoutedTarget>, 'provider'> = {}): Tested {
  const provider = stubbornProvider(error === undefined ? [] : Array(9).fill(error), undefined, name);
  return { name: `${name}/m`, model: `${name}-model`, provider, ...more };
}

async function ask(targets: readonly Tested[], more: Partial<RouterOptions> = {}, asked: ChatRequest = request) {
  const { context, events } = collectEvents();
  const result = await createRouter({ targets, ...more })
    .open(asked, never, context)
    .then(
      (stream) => stream.target,
      (error: SimpleAgentsError) => error,
    );
  const all = [...targets, ...((more.fallbacks ?? []) as readonly Tested[])];
  return { result, events, calls: all.map(({ provider }) => provider.times.length).join('') };
}

describe('a router', () => {
  test('calls the next target when one fails, with that target’s name of the model', async () => {
    const good = targetThat('good');
    const { result, events, calls } = await ask([targetThat('bad', failing('overloaded')), good]);
    assert.deepEqual([result, calls], ['good', '11']);
    assert.equal(good.provider.requests[0]?.model, 'good-model');
    const [fallback] = events;
    assert.ok(fallback?.type === 'fallback');
    assert.deepEqual([fallback.from, fallback.target, fallback.error.kind], ['bad/m', 'good/m', 'overloaded']);
  });

  test('falls back after errors that another target may not have, and not after a bad request', async () => {
    const stays: readonly ErrorKind[] = ['bad-request', 'healing', 'configuration', 'internal'];
    const moves: readonly ErrorKind[] = ['auth', 'quota', 'not-found', 'rate-limit', 'timeout', 'bad-response'];
    for (const kind of stays) assert.equal((await ask([targetThat('a', failing(kind)), targetThat('b')])).calls, '10');
    for (const kind of moves) assert.equal((await ask([targetThat('a', failing(kind)), targetThat('b')])).calls, '11');
  });

  test('falls back after the configured kinds of errors, and always from an open breaker', async () => {
    const fallbackOn = ['auth'] as const;
    assert.equal((await ask([targetThat('a', failing('timeout')), targetThat('b')], { fallbackOn })).calls, '10');
    assert.equal((await ask([targetThat('a', failing('auth')), targetThat('b')], { fallbackOn })).calls, '11');
    const open = new SimpleAgentsError('overloaded', 'open', { code: 'breaker-open' });
    assert.equal((await ask([targetThat('a', open), targetThat('b')], { fallbackOn })).calls, '11');
  });

  test('calls only the first target if fallback is off', async () => {
    const { result, calls } = await ask([targetThat('a', failing('timeout')), targetThat('b')], { fallback: false });
    assert.deepEqual([(result as SimpleAgentsError).kind, calls], ['timeout', '10']);
  });

  test('calls the fallbacks after all targets, whatever the strategy', async () => {
    const strategy = { order: <T>(targets: readonly T[]) => targets.toReversed() };
    const bad = () => targetThat('x', failing('timeout'));
    const fallbacks = [targetThat('f', failing('timeout')), targetThat('g')];
    const { result, calls } = await ask([bad(), bad()], { strategy, fallbacks });
    assert.deepEqual([result, calls], ['g', '1111']);
  });

  test('does not fall back after the total time-out', async () => {
    const late = timeoutError('no complete response arrived', 'total', 5);
    for (const more of [{}, { fallbackOn: ['timeout'] as const }]) {
      assert.equal((await ask([targetThat('a', late), targetThat('b')], more)).calls, '10');
    }
  });

  test('marks calls to every target but the last as replaceable', async () => {
    const replaceable = async (more: Partial<RouterOptions> = {}) => {
      const targets = ['a', 'b', 'c'].map((name) => targetThat(name, failing('timeout')));
      await ask(targets, more);
      return targets.flatMap(({ provider }) => provider.contexts.map((context) => context?.isReplaceable === true));
    };
    assert.deepEqual(await replaceable(), [true, true, false]);
    assert.deepEqual(await replaceable({ fallback: false }), [false]);
    assert.deepEqual(await replaceable({ fallbackOn: ['overloaded'] }), [false]);
    const alone = targetThat('alone');
    await createRouter({ targets: [alone] }).open(request, never);
    assert.deepEqual(alone.provider.contexts, [undefined]);
  });

  test('passes an abort through at once', async () => {
    const reason = { mine: true };
    const second = targetThat('b');
    const router = createRouter({ targets: [targetThat('a', reason), second] });
    await assert.rejects(router.open(request, AbortSignal.abort(reason)), (thrown) => thrown === reason);
    assert.equal(second.provider.times.length, 0);
  });

  test('reports everything to the strategy', async () => {
    const told: string[] = [];
    const strategy = {
      order: <T>(targets: readonly T[]) => targets,
      onStart: ({ name }: { name: string }) => void told.push(`start ${name}`),
      onFirstToken: ({ name }: { name: string }) => void told.push(`token ${name}`),
      onEnd: ({ name }: { name: string }, { type }: { type: string }) => void told.push(`${type} ${name}`),
    };
    const router = createRouter({ targets: [targetThat('a', failing('timeout')), targetThat('b')], strategy });
    assert.equal(await textOf(await router.open(request, never)), 'Hello');
    assert.deepEqual(told, ['start a/m', 'failed a/m', 'start b/m', 'token b/m', 'complete b/m']);
  });
});

const asking = (...content: Block[]): ChatRequest => ({ ...request, messages: [{ role: 'user', content }] });
const isAvailable = () => false;

describe('targets that cannot serve a request', () => {
  const plain = { capabilities: vendorNamed('deepseek')!.capabilities };
  const able = { capabilities: vendorNamed('anthropic')!.capabilities };
  const image: ImageBlock = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } };

  test('are skipped while there is another', async () => {
    const { result, events, calls } = await ask(
      [targetThat('a', undefined, plain), targetThat('b', undefined, able)],
      {},
      asking(image),
    );
    assert.deepEqual([result, calls], ['b', '01']);
    assert.deepEqual(events, [{ type: 'target-skip', call: 'call_1', target: 'a/m', reason: 'incapable' }]);
    const nested = asking({ type: 'tool-result', callId: 'c', content: [image] });
    assert.equal(
      (await ask([targetThat('a', undefined, plain), targetThat('b', undefined, able)], {}, nested)).calls,
      '01',
    );
    assert.equal((await ask([targetThat('a', undefined, plain), targetThat('b', undefined, able)])).calls, '10');
  });

  test('are called if there is no other', async () => {
    const targets = [targetThat('a', failing('timeout'), plain), targetThat('b', undefined, plain)];
    assert.equal((await ask(targets, {}, asking(image))).calls, '11');
  });

  test('because of a small context window are skipped, and larger ones are called after an overflow', async () => {
    const long = asking(text('word '.repeat(10_000)));
    const small = { contextWindow: 4000 };
    const large = { contextWindow: 100_000 };
    assert.equal(
      (await ask([targetThat('a', undefined, small), targetThat('b', undefined, large)], {}, long)).calls,
      '01',
    );
    const overflow = failing('context-overflow');
    const targets = [targetThat('a', overflow, large), targetThat('b', undefined, small), targetThat('c')];
    assert.equal((await ask(targets)).calls, '101');
  });

  test('because their breaker is open are skipped', async () => {
    const { calls, events } = await ask([targetThat('a', undefined, { isAvailable }), targetThat('b')]);
    assert.equal(calls, '01');
    assert.equal(events[0]?.type === 'target-skip' && events[0].reason, 'breaker-open');
    assert.equal((await ask([targetThat('a', undefined, { isAvailable })])).calls, '1');
  });

  test('because they already failed this call come last', async () => {
    const [a, b] = [targetThat('a'), targetThat('b')];
    const { context } = collectEvents();
    const router = createRouter({ targets: [a, b] });
    const stream = await router.open(request, never, { ...context, avoid: ['a/m'] });
    assert.equal(stream.target, 'b');
  });
});

describe('if all targets fail', () => {
  test('the error names every target and has the kind of a retryable failure', async () => {
    const limited = new SimpleAgentsError('rate-limit', 'Slow down.', { retryAfterMs: 70_000, status: 429 });
    const { result } = await ask([targetThat('a', limited), targetThat('b', failing('auth', 'No key.'))]);
    failsWith('rate-limit', /^all targets failed\. a\/m: Slow down\.; b\/m: No key\.$/, { retryAfterMs: 70_000 })(
      result,
    );
  });

  test('without a retryable failure, it has the kind of the last', async () => {
    const { result } = await ask([targetThat('a', failing('quota')), targetThat('b', failing('auth'))]);
    failsWith('auth', /a\/m: it is quota; b\/m: it is auth/)(result);
  });

  test('the error of a single target is unchanged', async () => {
    const error = failing('timeout');
    assert.equal((await ask([targetThat('a', error)])).result, error);
  });
});
