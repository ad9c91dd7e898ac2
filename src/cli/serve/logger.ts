// Lines of JSON on stderr, by pino. Loaded when a server starts, for no other command logs.

import type { Writable } from 'node:stream';
import { version } from '../../core/version.ts';
import type { Logger } from '../../server/server.ts';

export interface CloseableLogger extends Logger {
  close(): Promise<void>;
}

export async function createLogger(level: string, stream: Writable): Promise<CloseableLogger> {
  const { pino } = await import('pino');
  const logger = pino({ level, base: { version }, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  return {
    debug: (record) => logger.debug(record),
    info: (record) => logger.info(record),
    warn: (record) => logger.warn(record),
    error: (record) => logger.error(record),
    isLevelEnabled: (name) => logger.isLevelEnabled(name),
    close: () => new Promise((resolve) => stream.write('', () => resolve())),
  };
}
