// Lines of JSON, one for each record, in the shape of pino's: level, time, version, then the record.

import type { Writable } from 'node:stream';
import { version } from '../../core/version.ts';
import type { Logger } from '../../server/server.ts';

export interface CloseableLogger extends Logger {
  close(): Promise<void>;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'];

export function createLogger(level: string, stream: Writable): CloseableLogger {
  const isLevelEnabled = (name: string): boolean => levels.indexOf(name) >= levels.indexOf(level);
  const at = (name: string) => (record: object) => {
    if (!isLevelEnabled(name)) return;
    stream.write(`${JSON.stringify({ level: name, time: new Date().toISOString(), version, ...record })}\n`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isLevelEnabled,
    close: () => new Promise((resolve) => stream.write('', () => resolve())),
  };
}
