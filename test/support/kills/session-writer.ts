// Records sessions as fast as possible, one in each thread, until the idle main thread kills the process at a random
// moment, precisely even on a busy machine. When `onHistory` has returned, the number of the message is written to a file
// next to the session.

import { mkdirSync, openSync, writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openSession } from '../../../src/coder/session/recorder.ts';

const [, , root = '', threads = '1', lifetime = '0'] = process.argv;

if (isMainThread) {
  let ready = 0;
  for (let thread = 0; thread < Number(threads); thread++) {
    const worker = new Worker(new URL(import.meta.url), { workerData: `${root}/${thread}` });
    worker.on('message', () => {
      ready += 1;
      if (ready === Number(threads)) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(lifetime));
    });
  }
} else {
  record(String(workerData));
}

function warn(line: string): void {
  writeSync(2, `${line}\n`);
}

function record(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const acknowledged = openSync(`${folder}/acknowledged`, 'a');
  const { onHistory } = openSession({ folder, cwd: folder, version: '1', model: 'm', warn });
  for (let number = 0; ; number++) {
    // From a word to more than a pipe holds, so that a kill meets writes of every length.
    const padding = 'ä'.repeat(2 ** (number % 17));
    const content = [{ type: 'text' as const, text: `${number} ${padding}` }];
    onHistory({ type: 'append', message: { role: number % 2 === 0 ? 'user' : 'assistant', content } });
    writeSync(acknowledged, `${number}\n`);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's, not a window's
    if (number === 0) parentPort?.postMessage('ready');
  }
}
