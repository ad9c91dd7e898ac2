// Programs that record sessions are killed with SIGKILL at 2,000 random moments.

import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { killSessions } from '../support/kills/sessions.ts';

test('2,000 sessions whose program was killed', { timeout: 600_000 }, async (context) => {
  const seed = process.env['KILL_SEED'] ?? String(randomInt(1_000_000));
  const { records, torn } = await killSessions(2_000, seed);
  context.diagnostic(`seed ${seed}: ${records} records, none lost, ${torn} torn lines skipped`);
});
