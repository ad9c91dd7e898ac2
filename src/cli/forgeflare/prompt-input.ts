// Reads the prompt from the arguments and from standard input. With a prompt argument, standard input is added only if data
// arrives soon, because an open pipe without a writer must not block the run. `-` waits for it.

import { SimpleAgentsError } from '../../core/error.ts';
import { bytesOf, readAll } from '../terminal/input.ts';
import type { Invocation } from '../invocation.ts';
import { write, type TerminalInput } from '../terminal/terminal.ts';
import type { RunFlags } from './flags.ts';

/** How long to wait for data on a pipe if there is a prompt argument, in milliseconds. */
const patience = 1_000;
const longestInput = 10 * 1024 * 1024;

/** Undefined if the user should be asked interactively. */
export async function readPrompt(
  words: readonly string[],
  invocation: Invocation,
  { quiet, print }: Pick<RunFlags, 'quiet' | 'print'>,
): Promise<string | undefined> {
  const { stdin } = invocation.terminal;
  const isStdinRequested = words.includes('-');
  const given = words.filter((word) => word !== '-').join(' ');
  const hasPrompt = given.trim() !== '';
  if (stdin.isTTY === true && !isStdinRequested) {
    if (print && !hasPrompt) throw emptyPrompt('--print: needs a prompt');
    return hasPrompt ? given : undefined;
  }
  if (hasPrompt && !isStdinRequested && !(await hasInput(stdin))) {
    const hint = 'no data on standard input, so it is ignored; add - to wait for it';
    if (!quiet) await write(invocation.terminal.stderr, `note: ${hint}\n`);
    return given;
  }
  const piped = await readPiped(invocation);
  const parts = [given, piped].filter((part) => part.trim() !== '');
  if (parts.length === 0) throw emptyPrompt('no prompt given: standard input is empty');
  return parts.join('\n\n');
}

/** Resolves to true if there is data or the stream has ended, so that reading does not block. */
function hasInput(stdin: TerminalInput): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isReady: boolean): void => {
      clearTimeout(timer);
      stdin.off('readable', onReady).off('end', onReady).off('error', onReady);
      // An open pipe must not keep the process alive.
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
      throw new SimpleAgentsError(
        'bad-request',
        'standard input is larger than 10 MB; write it to a file and name the file in the prompt',
      );
    }
    yield chunk;
  }
}

function emptyPrompt(problem: string): SimpleAgentsError {
  return new SimpleAgentsError(
    'bad-request',
    `${problem}; pass one, for example forgeflare "fix the failing test", or pipe it in`,
  );
}
