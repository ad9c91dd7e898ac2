// Reads the input of a command: a file or standard input, all at once or line by line. An error names the file and the
// reason.

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Invocation } from '../invocation.ts';
import { write } from './terminal.ts';

/** The bytes of a file, or of standard input if no file is named. Ends on Ctrl-C. */
export async function* bytesOf(
  file: string | undefined,
  { terminal, signal }: Invocation,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { stdin, stderr, cwd } = terminal;
  const isStandardInput = file === undefined || file === '-';
  if (isStandardInput && stdin.isTTY === true)
    await write(stderr, 'Reading from the terminal; press Ctrl-D to end the input.\n');
  const stream = isStandardInput ? stdin : createReadStream(resolve(cwd, file));
  const stop = (): void => void stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    signal.throwIfAborted();
    throw new SimpleAgentsError('bad-request', `${file ?? 'standard input'}: ${reasonOf(error)}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  for await (const chunk of bytes) parts.push(decoder.decode(chunk, { stream: true }));
  return parts.join('') + decoder.decode();
}

/** Only LF ends a line: other characters that are sometimes line breaks may be part of a value. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const chunk of bytes) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    begun.push(first);
    for (const next of others) {
      yield begun.join('');
      begun = [next];
    }
  }
  begun.push(decoder.decode());
  yield begun.join('');
}

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EISDIR: 'is a directory, not a file',
  EACCES: 'permission denied; check the permissions of the file',
};

/** Why the input cannot be read. */
export function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return `is not JSON: ${error.message}`;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return readFailures[code] ?? message;
}
