// Slash commands inside a conversation, shared by all programs that have one. A command is one row: its name, its argument
// and a function that acts on the program's controls.

import { SimpleAgentsError } from '../core/error.ts';
import { didYouMean } from '../core/suggest.ts';

export const leave = Symbol('leave');

export interface SlashCommand<Controls> {
  readonly name: string;
  readonly takes: string;
  readonly help: string;
  /** Returns the message for the user. */
  run(argument: string, controls: Controls): Promise<string | typeof leave>;
}

const exitWords: ReadonlySet<string> = new Set(['exit', 'quit', '/quit']);

/** Undefined if the line is not a command. */
export async function runSlashCommand<Controls>(
  line: string,
  commands: readonly SlashCommand<Controls>[],
  controls: Controls,
): Promise<string | typeof leave | undefined> {
  if (exitWords.has(line.toLowerCase())) return leave;
  if (!line.startsWith('/') || line.startsWith('//')) return undefined;
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const command = commands.find((candidate) => candidate.name === name.toLowerCase());
  if (command === undefined) {
    const names = commands.map((candidate) => candidate.name);
    const hint = didYouMean(name, names) || '; /help lists the commands';
    throw new SimpleAgentsError(
      'bad-request',
      `unknown command ${name}${hint} (start with // to send it as a message)`,
    );
  }
  return command.run(argument.trim(), controls);
}

/** A line that starts with two slashes is a message that starts with one. */
export function unescape(line: string): string {
  return line.startsWith('//') ? line.slice(1) : line;
}

export function describeCommands<Controls>(commands: readonly SlashCommand<Controls>[]): string {
  const rows = commands.map(({ name, takes, help }) => [`${name} ${takes}`.trimEnd(), help] as const);
  const keys = [
    ['\\ at the end', 'continue on the next line (so does Alt-Enter); pasted lines are one message'],
    ['Ctrl-C', 'stop the response, or clear the line'],
  ] as const;
  return [...rows, ...keys].map(([left, right]) => `  ${left.padEnd(16)} ${right}`).join('\n');
}
