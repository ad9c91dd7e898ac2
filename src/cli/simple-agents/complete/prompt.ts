// Reads the prompt from the command line and standard input. Standard input is read only if there is no other prompt, or
// if `-` requests it, because an open pipe without a writer must not block a command that already has its prompt.

import { SimpleAgentsError } from '../../../core/error.ts';
import type { Invocation } from '../../invocation.ts';
import { write } from '../../terminal/terminal.ts';

export interface PromptSources {
  readonly message?: string;
  /** The positional arguments; a `-` stands for standard input. */
  readonly words: readonly string[];
}

export async function readPrompt({ message, words }: PromptSources, invocation: Invocation): Promise<string> {
  const argument = words.filter((word) => word !== '-').join(' ');
  const given = [message ?? '', argument].filter((part) => part.trim() !== '');
  const isRequested = words.includes('-');
  if (!isRequested && given.length > 0) return given.join('\n\n');
  if (!isRequested && invocation.terminal.stdin.isTTY === true) throw missingPrompt();
  const piped = await readStdin(invocation);
  if (piped.trim() === '' && given.length === 0) throw emptyInput();
  return [...given, piped].filter((part) => part.trim() !== '').join('\n\n');
}

async function readStdin({ terminal, signal }: Invocation): Promise<string> {
  const { stdin, stderr } = terminal;
  if (stdin.isTTY === true) await write(stderr, 'Reading from the terminal; press Ctrl-D to end the input.\n');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stop = (): void => void stdin.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    let text = '';
    for await (const chunk of stdin as AsyncIterable<Uint8Array>) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new SimpleAgentsError('bad-request', 'standard input is not UTF-8 text');
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function missingPrompt(): SimpleAgentsError {
  return new SimpleAgentsError(
    'bad-request',
    'no prompt given; pass one, as in simple-agents complete "Why is the sky blue?", or pipe it to standard input',
  );
}

function emptyInput(): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', 'standard input is empty and there is no --message; pass a prompt');
}
