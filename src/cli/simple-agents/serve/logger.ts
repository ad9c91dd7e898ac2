// Lines of JSON, one for each record, in the shape of pino's: level, time, version, then the record.

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

/** In milliseconds. A busy server writes a hundred lines at once. */
const lingering = 10;

/** What is logged within a moment becomes one write. */
class LineBuffer {
  readonly #stream: Writable;
  #text = '';

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  add(record: object): void {
    if (this.#text === '') setTimeout(() => this.flush(), lingering);
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
