// Lines of JSON, one for each record, in the shape of pino's: level, time, version, then the record.

import type { Writable } from 'node:stream';
import { version } from '../../core/version.ts';
import type { Logger } from '../../server/server.ts';

export interface CloseableLogger extends Logger {
  close(): Promise<void>;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'];

export function createLogger(level: string, stream: Writable): CloseableLogger {
  const lines = new LineBuffer(stream);
  const isLevelEnabled = (name: string): boolean => levels.indexOf(name) >= levels.indexOf(level);
  const clock = new LineClock();
  const at = (name: string) => {
    const [opening, closing] = [`{"level":"${name}","time":"`, `","version":"${version}",`];
    return (record: object) => {
      if (!isLevelEnabled(name)) return;
      // Put together as text: a copy of each record only to write it took a quarter of the time.
      lines.write(`${opening}${clock.now()}${closing}${JSON.stringify(record).slice(1)}\n`);
      // It may be the last thing this process says.
      if (name === 'error') lines.flush();
    };
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isLevelEnabled,
    close: () => lines.close(),
  };
}

/** The time as text: all but its milliseconds is made once a second. */
class LineClock {
  #second = 0;
  #text = '';

  now(): string {
    const time = Date.now();
    const second = Math.floor(time / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(time).toISOString().slice(0, -'000Z'.length);
    }
    return `${this.#text}${String(time % 1000).padStart(3, '0')}Z`;
  }
}

/** In milliseconds. Nobody who reads along sees the difference; a busy server writes a hundred lines at once. */
const lingering = 10;

/** What is logged within a moment is one write: a write for each line was a tenth of a call's CPU time. */
class LineBuffer {
  readonly #stream: Writable;
  #text = '';

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(line: string): void {
    if (this.#text === '') setTimeout(() => this.flush(), lingering);
    this.#text += line;
  }

  close(): Promise<void> {
    this.flush();
    return new Promise((resolve) => this.#stream.write('', () => resolve()));
  }

  flush(): void {
    if (this.#text === '') return;
    this.#stream.write(this.#text);
    this.#text = '';
  }
}
