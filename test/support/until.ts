// Waits for something that reports no event, such as the end of a process that is not ours. It has no time limit, because
// that would measure the machine; the time limit of the run names a test that waits in vain.

import { setTimeout as sleep } from 'node:timers/promises';

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
