// The faults of bench/fault-wall over real HTTP. Only the first target has short timeouts, so that the test takes seconds and
// the second one never runs into one, however busy the machine is. It does not check durations: the benchmark measures them
// with default settings, and failover.test.ts checks them on a virtual clock.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faults } from '../../bench/fault-wall/faults.ts';
import { findWrong } from '../../bench/fault-wall/verdict.ts';
import { runFault } from '../../bench/fault-wall/wall.ts';

const limits = { connect: 1500, firstToken: 1500, idle: 1500 };
/** A slow failure takes six seconds, whatever the timeouts are. */
const isQuick = ({ waits }: (typeof faults)[number]): boolean => waits !== 'slow-failure';

for (const onCut of ['fail', 'continue'] as const) {
  describe(`a chain of two targets, the first with a fault, on_cut = "${onCut}"`, { concurrency: 8 }, () => {
    for (const fault of faults.filter(isQuick)) {
      test(fault.name, { timeout: 60_000 }, async () => {
        const options = { onCut, limits, timeouts: limits, calls: 6, longestReturn: 30_000 };
        assert.deepEqual(findWrong(await runFault(fault, options), onCut), []);
      });
    }
  });
}
