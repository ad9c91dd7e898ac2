// Ends this process when the one that started it is gone, also when that was killed and could not pass a signal on. The
// starter holds the other end of a pipe; the kernel closes it, so nothing is polled. Preloaded with `--require` by
// relay.mjs. Plain JavaScript, because it also runs before types can be stripped.
'use strict';

const name = 'SIMPLE_AGENTS_LIFELINE';
/** Time to stop tools and streams in. Milliseconds. */
const grace = 5_000;

const descriptor = Number(process.env[name]);
// What this process starts has no such pipe.
delete process.env[name];
if (Number.isInteger(descriptor) && descriptor > 2) watch(descriptor);

/** @param {number} fd */
function watch(fd) {
  const { Socket } = require('node:net');
  const line = new Socket({ fd, readable: true, writable: false });
  line.on('error', () => undefined);
  line.on('close', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), grace).unref();
  });
  line.resume();
  // A process that has nothing else to do may end.
  line.unref();
}
