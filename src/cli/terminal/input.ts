// What a command reads: a file or standard input, whole or line by line. What cannot be read is told with its name and
// what is wrong with it.

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Invocation } from '../invocation.ts';
import { write } from './terminal.ts';

/** The bytes of a file, or of standard input when none is named. Ends at Ctrl-C. */
export async function* bytesOf(
  file: string | undefined,
  { terminal, signal }: Invocation,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { stdin, stderr, cwd } = terminal;
  const isSpoken = file === undefined || file === '-';
  if (isSpoken && stdin.isTTY === true) await write(stderr, 'Reading from the terminal; Ctrl-D ends it.\n');
  const stream = isSpoken ? stdin : createReadStream(resolve(cwd, file));
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

/** Lines end with LF alone: a value may hold any other character that some call a line end. */
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
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read; check its permissions',
};

/** Why something cannot be read. */
export function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return `is not JSON: ${error.message}`;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return readFailures[code] ?? message;
}
