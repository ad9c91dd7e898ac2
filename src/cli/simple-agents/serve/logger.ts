// Writes log records as lines of JSON in the format of pino: level, time, version, then the record.

import type { Writable } from 'node:stream';
import { version } from '../../../core/version.ts';
import type { Logger } from '../../../server/server.ts';

export interface CloseableLogger extends Logger {
  close(): Promise<void>;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'];

export function createLogger(level: string, stream: Writable): CloseableLogger {
  const lines = new LineBuffer(stream);
  const isLevelEnabled = (name: string): boolean => levels.indexOf(name) >= levels.indexOf(level);
  const at = (name: string) => {
    const isEnabled = isLevelEnabled(name);
    return (record: object) => {
      if (!isEnabled) return;
      lines.add({ level: name, time: new Date(), version, ...record });
      // The process may be about to crash.
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

/** Milliseconds. */
const flushDelay = 10;

/** Combines the records of a short time into one write. */
class LineBuffer {
  readonly #stream: Writable;
  #text = '';

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  add(record: object): void {
    if (this.#text === '') setTimeout(() => this.flush(), flushDelay);
    this.#text += `${JSON.stringify(record)}\n`;
  }

  close(): Promise<void> {
    this.flush();
    return new Promise((resolve) => this.#stream.write('', () => resolve()));
  }

  flush(): void {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#stream.write(text);
  }
}
