// Preloaded into the process to be measured. On request it sends the worst values since the last request over the IPC
// channel, in milliseconds: how late the event loop ran, and the CPU time of its thread between two runs of a timer.
// Other load on the machine affects the first, but not the second.

import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

let worst = 0;
let before = spent();
setInterval(() => {
  const now = spent();
  worst = Math.max(worst, now - before);
  before = now;
}, 1);

function spent() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

process.on('message', () => {
  process.send?.({ delay: delay.max / 1e6, busy: worst });
  delay.reset();
  worst = 0;
});
