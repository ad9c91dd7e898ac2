// What the user wants done, from the command line and from standard input. Beside an argument standard input is taken when
// something comes: an open pipe that nobody writes to must not hold up a run that has its prompt already. `-` waits for it.

import { SimpleAgentsError } from '../../core/error.ts';
import { bytesOf, readAll } from '../terminal/input.ts';
import type { Invocation } from '../invocation.ts';
import { write, type TerminalInput } from '../terminal/terminal.ts';
import type { RunFlags } from './flags.ts';

/** How long a pipe beside an argument may stay silent. */
const patience = 1_000;
const longestInput = 10 * 1024 * 1024;

/** Nothing when the user is to be asked at the keyboard. */
export async function readPrompt(
  words: readonly string[],
  invocation: Invocation,
  { quiet, print }: Pick<RunFlags, 'quiet' | 'print'>,
): Promise<string | undefined> {
  const { stdin } = invocation.terminal;
  const isAsked = words.includes('-');
  const given = words.filter((word) => word !== '-').join(' ');
  const isSpoken = given.trim() !== '';
  if (stdin.isTTY === true && !isAsked) {
    if (print && !isSpoken) throw emptyPrompt('--print: needs a prompt');
    return isSpoken ? given : undefined;
  }
  if (isSpoken && !isAsked && !(await hasInput(stdin))) {
    const hint = 'nothing came on standard input, so it is left out; a lone - waits for it';
    if (!quiet) await write(invocation.terminal.stderr, `note: ${hint}\n`);
    return given;
  }
  const piped = await readPiped(invocation);
  const parts = [given, piped].filter((part) => part.trim() !== '');
  if (parts.length === 0) throw emptyPrompt('there is no prompt: standard input is empty');
  return parts.join('\n\n');
}

/** Whether there is something to read, or nothing will ever be: then reading does not wait. */
function hasInput(stdin: TerminalInput): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isReady: boolean): void => {
      clearTimeout(timer);
      stdin.off('readable', onReady).off('end', onReady).off('error', onReady);
      // Whoever left the pipe open shall not keep the program alive.
      if (!isReady) stdin.destroy();
      resolve(isReady);
    };
    const onReady = (): void => settle(true);
    const timer = setTimeout(settle, patience, false);
    stdin.on('readable', onReady).on('end', onReady).on('error', onReady);
  });
}

async function readPiped(invocation: Invocation): Promise<string> {
  return await readAll(bounded(bytesOf(undefined, invocation)));
}

async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > longestInput) {
      throw new SimpleAgentsError('bad-request', 'standard input is longer than 10 MB; put it in a file and name that');
    }
    yield chunk;
  }
}

function emptyPrompt(problem: string): SimpleAgentsError {
  return new SimpleAgentsError(
    'bad-request',
    `${problem}; write one: forgeflare "fix the failing test", or pipe one in`,
  );
}
