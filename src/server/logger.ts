// Where a server's lines go: the part of pino's face that is used, so that a pino logger will do as it is.

export interface Logger {
  debug(record: object): void;
  info(record: object): void;
  warn(record: object): void;
  error(record: object): void;
  /** Left out: every level is. */
  isLevelEnabled?(level: string): boolean;
}
