// Preloaded into the process to be measured. Sends the worst since the last question over the IPC channel, in
// milliseconds: how late the event loop ran, and the CPU time of its thread between two runs of a timer. On a machine
// with other work the first counts that work too, the second does not.

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
