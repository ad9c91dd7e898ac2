// Ends the processes that we started when we die without a chance to end them, for example by SIGKILL. A small shell waits
// for the end of a pipe that only we hold, and then kills every process with our marker in its environment. It finds
// processes that left their group, session or parent. It needs /proc; elsewhere it does nothing.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';

/** In the environment of every process that this process starts for a tool or an agent. */
export const runMark = randomUUID();

/** It looks again, because a process may start others while it is being killed. */
const script = `cat > /dev/null
for round in 1 2 3 4 5; do
  for file in $(grep -la "$1" /proc/[0-9]*/environ 2> /dev/null); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" 2> /dev/null
  done
  sleep 0.05
done`;

let isRunning = false;

/** Starts it once for this process. It ends with this process. */
export function startWatchdog(): void {
  if (isRunning || !existsSync('/proc/self/environ')) return;
  isRunning = true;
  const child = spawn('/bin/sh', ['-c', script, 'sh', runMark], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // In its own session, so that it survives a signal to our group.
    detached: true,
  });
  child.on('error', () => (isRunning = false));
  child.stdin.on('error', () => undefined);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
}
