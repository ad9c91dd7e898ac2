// Shows the progress of a call as live output. A server may report it thousands of times a second, so a line is shown at
// most every 200 ms, and a line that repeats the last one is not shown.

import type { Clock } from '../core/clock.ts';
import type { ToolProgress } from './connection.ts';

const interval = 200;
const longestMessage = 500;

export class ProgressLines {
  readonly #output: (chunk: string) => void;
  readonly #clock: Clock;
  #shown = '';
  #next = -Infinity;

  constructor(output: (chunk: string) => void, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
  }

  push(progress: ToolProgress): void {
    const now = this.#clock.now();
    if (now < this.#next) return;
    const line = describe(progress);
    if (line === this.#shown) return;
    this.#shown = line;
    this.#next = now + interval;
    this.#output(line);
  }
}

/** `3/10 indexing` */
function describe({ progress, total, message = '' }: ToolProgress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${`${count} ${message.slice(0, longestMessage).replaceAll(/\s+/g, ' ')}`.trim()}\n`;
}
