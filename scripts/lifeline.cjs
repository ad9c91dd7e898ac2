// Ends this process when its parent is gone, even if the parent was killed and could not forward a signal. The parent holds
// the other end of a pipe, which the kernel closes, so no polling is needed. Preloaded with `--require` by relay.mjs. Plain
// JavaScript, because it also runs before types can be stripped.
'use strict';

const name = 'SIMPLE_AGENTS_LIFELINE';
/** Milliseconds to stop tools and streams. */
const grace = 5_000;

const descriptor = Number(process.env[name]);
// Child processes do not have the pipe.
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
  // Do not keep an idle process alive.
  line.unref();
}
