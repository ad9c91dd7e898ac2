// The terminal that commands use: three streams, the environment, the working directory and signals. The only file here
// that uses `process`, so that tests can pass their own terminal.

import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import { processEnvironment, readVariable, type Environment } from '../../config/environment.ts';

export interface Terminal {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Environment;
  readonly cwd: string;
  /** The program name for messages; simple-agents if left out. */
  readonly program?: string;
  /** Returns a function that removes the listener. */
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): () => void;
  /** Listens for uncaught failures. Returns a function that removes the listeners. */
  onUnhandled(listeners: UnhandledListeners): () => void;
  /** Ends the process immediately. */
  exit(exitCode: number): void;
}

export interface UnhandledListeners {
  readonly rejection: (reason: unknown) => void;
  readonly exception: (error: unknown) => void;
}

export interface TerminalInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

export interface TerminalOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export function processTerminal(program?: string): Terminal {
  return {
    ...(program === undefined ? {} : { program }),
    // A getter, because reading `process.stdin` opens it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: processEnvironment(),
    cwd: process.cwd(),
    onSignal(signal, listener) {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    onUnhandled({ rejection, exception }) {
      process.on('unhandledRejection', rejection).on('uncaughtException', exception);
      return () => process.off('unhandledRejection', rejection).off('uncaughtException', exception);
    },
    exit: (exitCode) => process.exit(exitCode),
  };
}

/** The output stream that a person at a terminal sees; undefined if there is none. */
export function screenOf({ stdin, stdout, stderr }: Terminal): TerminalOutput | undefined {
  if (stdin.isTTY !== true) return undefined;
  return [stdout, stderr].find(({ isTTY }) => isTTY === true);
}

/** Resolves when the text is written, so that a slow reader applies backpressure instead of filling memory. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

export function painter(stream: TerminalOutput, env: Environment): Paint {
  if (!hasColors(stream, env)) return (_format, text) => text;
  return (format, text) => styleText(format, text, { validateStream: false });
}

/** FORCE_COLOR overrides NO_COLOR, as in Node itself. */
export function hasColors(stream: TerminalOutput, env: Environment): boolean {
  const forced = readVariable('FORCE_COLOR', env);
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (readVariable('NO_COLOR', env) !== undefined || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}

export function widthOf(stream: TerminalOutput): number {
  return stream.isTTY === true ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY;
}

/** The width of a text in columns, without styles. */
export function columnsOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

/**
 * Makes a model's text safe for the screen. Control characters, which could move the cursor, change the title or write to
 * the clipboard, are replaced by visible symbols. A file or a pipe gets the text unchanged.
 */
export function toPrintable(text: string, stream: TerminalOutput): string {
  if (stream.isTTY !== true) return text;
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, symbolOf);
}

function symbolOf(control: string): string {
  if (control === '\r') return '';
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
