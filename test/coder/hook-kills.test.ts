// A program that keeps writing convergence.json is killed with SIGKILL at random moments: a reader always finds valid JSON
// or no file.

import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Convergence } from '../../src/coder/hooks/convergence.ts';
import { createRandom } from '../../src/testing/model/random.ts';
import { runs } from '../support/enumeration.ts';
import { runUntilKilled } from '../support/kills/kill.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const kills = runs(24, 8);
const seed = process.env['KILL_SEED'] ?? String(randomInt(1_000_000));
const folder = temporaryFolder().path;
const path = join(folder, 'convergence.json');

/** Whether it was there. */
function checkWhole(): boolean {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
    return false;
  }
  const state = JSON.parse(text) as { observations: { signal: string }[] };
  const first = Number(state.observations[0]?.signal.slice(1));
  const signals = state.observations.map(({ signal }) => signal);
  assert.deepEqual(
    signals,
    Array.from(signals.keys(), (index) => `s${first + index}`),
  );
  return true;
}

test(`convergence.json is valid or absent, ${kills} kills`, { timeout: 120_000 }, async (context) => {
  const random = createRandom(seed);
  let reads = 0;
  for (let kill = 0; kill < kills; kill++) {
    const running = runUntilKilled('convergence-writer.ts', [path, random.next() * 60]);
    const reading = setInterval(() => (reads += checkWhole() ? 1 : 0), 1);
    await running.finally(() => clearInterval(reading));
    checkWhole();
  }
  context.diagnostic(`seed ${seed}: ${reads} reads while it was written`);
  await new Convergence(path, assert.fail).clear();
  assert.deepEqual(readdirSync(folder), [], 'what the killed ones left behind is gone');
});
