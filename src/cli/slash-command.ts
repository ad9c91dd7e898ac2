// Commands inside a conversation, for every program that has one. A command is one row: its name, what it takes, what it
// does to the controls it is handed.

import { SimpleAgentsError } from '../core/error.ts';
import { didYouMean } from '../core/suggest.ts';

export const leave = Symbol('leave');

export interface SlashCommand<Controls> {
  readonly name: string;
  readonly takes: string;
  readonly help: string;
  /** What to tell the user. */
  run(argument: string, controls: Controls): Promise<string | typeof leave>;
}

const exitWords: ReadonlySet<string> = new Set(['exit', 'quit', '/quit']);

/** Nothing when the line is not a command. */
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
    const hint = didYouMean(name, names) || '; /help lists what there is';
    throw new SimpleAgentsError('bad-request', `there is no ${name}${hint} (// at the start sends it as it is)`);
  }
  return command.run(argument.trim(), controls);
}

/** Two slashes stand for one that begins no command. */
export function unescape(line: string): string {
  return line.startsWith('//') ? line.slice(1) : line;
}

export function describeCommands<Controls>(commands: readonly SlashCommand<Controls>[]): string {
  const rows = commands.map(({ name, takes, help }) => [`${name} ${takes}`.trimEnd(), help] as const);
  const keys = [
    ['\\ at the end', 'continue on the next line (so does Alt-Enter); pasted lines are one message'],
    ['Ctrl-C', 'stop the answer, or clear the line'],
  ] as const;
  return [...rows, ...keys].map(([left, right]) => `  ${left.padEnd(16)} ${right}`).join('\n');
}
