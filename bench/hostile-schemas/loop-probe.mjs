// Preloaded into the process to be measured: measures how late its event loop runs, and sends the longest delay since
// the last question, in milliseconds, over the IPC channel.

import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', () => {
  process.send?.(delay.max / 1e6);
  delay.reset();
});
