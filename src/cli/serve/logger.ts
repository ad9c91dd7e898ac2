// Lines of JSON on stderr, by pino. Loaded when a server starts, for no other command logs.

import type { Writable } from 'node:stream';
import { version } from '../../core/version.ts';
import type { Logger } from '../../server/server.ts';

export interface CloseableLogger extends Logger {
  close(): Promise<void>;
}

export async function createLogger(level: string, stream: Writable): Promise<CloseableLogger> {
  const { pino } = await import('pino');
  const lines = new LineBuffer(stream);
  const logger = pino({ level, base: { version }, timestamp: isoTime }, lines);
  return {
    debug: (record) => logger.debug(record),
    info: (record) => logger.info(record),
    warn: (record) => logger.warn(record),
    error: (record) => logger.error(record),
    isLevelEnabled: (name) => logger.isLevelEnabled(name),
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

let lastTime = 0;
let lastText = '';

/** Many lines share a millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastTime) {
    lastTime = now;
    lastText = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastText;
}
