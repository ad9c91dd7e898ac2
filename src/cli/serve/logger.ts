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
  const at = (name: string) => (record: object) => {
    if (!isLevelEnabled(name)) return;
    lines.write(`${JSON.stringify({ level: name, time: new Date().toISOString(), version, ...record })}\n`);
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

/** What is logged in one turn of the event loop is one write: a write for each line was a tenth of a call's CPU time. */
class LineBuffer {
  readonly #stream: Writable;
  #text = '';

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(line: string): void {
    if (this.#text === '') setImmediate(() => this.#flush());
    this.#text += line;
  }

  close(): Promise<void> {
    this.#flush();
    return new Promise((resolve) => this.#stream.write('', () => resolve()));
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#stream.write(this.#text);
    this.#text = '';
  }
}
