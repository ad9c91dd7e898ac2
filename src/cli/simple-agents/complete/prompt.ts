// What the user wants to ask, from the command line and from standard input. Standard input is read only when it
// is needed or asked for with `-`: an open pipe that nobody writes to must not hold up a command that has its
// message already.

import { SimpleAgentsError } from '../../../core/error.ts';
import type { Invocation } from '../../invocation.ts';
import { write } from '../../terminal/terminal.ts';

export interface PromptSources {
  readonly message?: string;
  /** The command line's bare words; a lone `-` stands for standard input. */
  readonly words: readonly string[];
}

export async function readPrompt({ message, words }: PromptSources, invocation: Invocation): Promise<string> {
  const spoken = words.filter((word) => word !== '-').join(' ');
  const given = [message ?? '', spoken].filter((part) => part.trim() !== '');
  const isAsked = words.includes('-');
  if (!isAsked && given.length > 0) return given.join('\n\n');
  if (!isAsked && invocation.terminal.stdin.isTTY === true) throw missingPrompt();
  const piped = await readStdin(invocation);
  if (piped.trim() === '' && given.length === 0) throw emptyInput();
  return [...given, piped].filter((part) => part.trim() !== '').join('\n\n');
}

async function readStdin({ terminal, signal }: Invocation): Promise<string> {
  const { stdin, stderr } = terminal;
  if (stdin.isTTY === true) await write(stderr, 'Reading from the terminal; Ctrl-D ends it.\n');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stop = (): void => void stdin.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    let text = '';
    for await (const chunk of stdin as AsyncIterable<Uint8Array>) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new SimpleAgentsError('bad-request', 'standard input is not text in UTF-8');
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function missingPrompt(): SimpleAgentsError {
  return new SimpleAgentsError(
    'bad-request',
    'there is no prompt; write one: simple-agents complete "Why is the sky blue?", or pipe one in',
  );
}

function emptyInput(): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', 'standard input is empty, and there is no --message');
}
