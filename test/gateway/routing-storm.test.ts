// A target that fails 10, 50 or 100 % of a steady load: retries add at most 10 % in any 10 s, no call is made more than
// three times, and a breaker spares the target most of it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallEvent } from '../../src/core/call.ts';
import type { Provider } from '../../src/core/provider.ts';
import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import { withTargetPolicies } from '../../src/gateway/stack.ts';
import { createRandom } from '../../src/testing/model/random.ts';
import { answerOf, failing, textOf, wordsOf } from '../support/policies.ts';
import { never, request } from '../support/upstream.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const seconds = 40;
const callsPerSecond = 50;
const window = 10_000;

interface Storm {
  /** The times of first calls to the target, and of retries. */
  readonly firsts: readonly number[];
  readonly retries: readonly number[];
  readonly mostAttempts: number;
  readonly succeeded: number;
}

async function storm(share: number, settings: Pick<GatewaySettings, 'retry' | 'breaker'>): Promise<Storm> {
  const random = createRandom(`storm ${share}`);
  const clock = new VirtualClock(() => random.next());
  const target: Provider = {
    name: 'a',
    async open(_request, signal) {
      await clock.sleep(50, signal);
      if (random.chance(share)) throw failing('overloaded');
      return answerOf('a', wordsOf('Hello'));
    },
  };
  const { provider } = withTargetPolicies(target, settings, { target: 'a/m', clock });
  const [firsts, retries]: [number[], number[]] = [[], []];
  let [mostAttempts, succeeded] = [0, 0];
  const observe = (event: CallEvent): void => {
    if (event.type !== 'attempt-start') return;
    mostAttempts = Math.max(mostAttempts, event.attempt);
    (event.attempt === 1 ? firsts : retries).push(clock.now());
  };
  for (let call = 0; call < seconds * callsPerSecond; call++) {
    clock.at((call * 1000) / callsPerSecond, () => {
      const id = `call ${call}`;
      void provider.open(request, never, { id, observe }).then(
        async (stream) => (succeeded += (await textOf(stream)).length > 0 ? 1 : 0),
        () => undefined,
      );
    });
  }
  await clock.run();
  return { firsts, retries, mostAttempts, succeeded };
}

for (const share of [0.1, 0.5, 1]) {
  describe(`a storm of ${share * 100} % failures`, () => {
    test('grows by at most a tenth', async () => {
      const { firsts, retries, mostAttempts, succeeded } = await storm(share, { breaker: false });
      assert.equal(firsts.length, seconds * callsPerSecond);
      assert.ok(mostAttempts <= 3);
      for (let from = 0; from + window <= seconds * 1000; from += 100) {
        const count = (times: readonly number[]) => times.filter((at) => at >= from && at < from + window).length;
        assert.ok(
          count(retries) <= 0.1 * count(firsts),
          `${count(retries)} beside ${count(firsts)} from ${from} ms on`,
        );
      }
      assert.ok(retries.length > 0.05 * firsts.length, 'the budget is used, too');
      assert.ok(succeeded >= firsts.length * (1 - share), String(succeeded));
    });
  });
}

test('a breaker keeps nearly all calls from a target that always fails', async () => {
  const target = await storm(1, {});
  // A call that the breaker rejects is reported as an attempt, but is not sent and not retried.
  assert.ok(target.retries.length < 60, String(target.retries.length));
});
