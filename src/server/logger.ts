// The logger of a server: the part of pino's interface that is used, so a pino logger can be passed in directly.

export interface Logger {
  debug(record: object): void;
  info(record: object): void;
  warn(record: object): void;
  error(record: object): void;
  /** Left out: every level is enabled. */
  isLevelEnabled?(level: string): boolean;
}
