// The terminal as commands see it: three streams, the environment, the working folder and signals. The one file
// here that touches `process`; a test hands in a terminal of its own and needs no process.

import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import { processEnvironment, readVariable, type Environment } from '../../config/environment.ts';

export interface Terminal {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Environment;
  readonly cwd: string;
  /** Which of our programs speaks; simple-agents when left out. */
  readonly program?: string;
  /** Gives back what ends the listening. */
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): () => void;
  /** Takes the failures that nobody caught. Returns a function that ends the listening. */
  onUnhandled(listeners: UnhandledListeners): () => void;
  /** Ends the process at once. */
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
    // Read when asked for: merely touching `process.stdin` opens it.
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

/** Where a person sits, if one does. */
export function screenOf({ stdin, stdout, stderr }: Terminal): TerminalOutput | undefined {
  if (stdin.isTTY !== true) return undefined;
  return [stdout, stderr].find(({ isTTY }) => isTTY === true);
}

/** Resolves when the text is out, so that a slow reader slows the writer down instead of filling memory. */
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

/** FORCE_COLOR goes before NO_COLOR, as it does in Node itself. */
export function hasColors(stream: TerminalOutput, env: Environment): boolean {
  const forced = readVariable('FORCE_COLOR', env);
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (readVariable('NO_COLOR', env) !== undefined || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}

export function widthOf(stream: TerminalOutput): number {
  return stream.isTTY === true ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY;
}

/** How many columns a text takes, styles not counted. */
export function columnsOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

/**
 * A model's words for the screen. Control characters become their pictures, for they could move the cursor,
 * change the title or fill the clipboard; a file or a pipe gets the words as they are.
 */
export function toPrintable(text: string, stream: TerminalOutput): string {
  if (stream.isTTY !== true) return text;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, pictureOf);
}

function pictureOf(control: string): string {
  if (control === '\r') return '';
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
