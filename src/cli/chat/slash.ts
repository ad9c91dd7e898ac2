// The commands inside a chat. A command is one row: its name, what it takes, what it does.

import { didYouMean } from '../../config/suggest.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Conversation } from './conversation.ts';
import { saveTranscript } from './transcript.ts';

/** What a command may do to the chat it stands in. */
export interface ChatControls {
  readonly conversation: Conversation;
  readonly modelName: string;
  readonly cwd: string;
  /** Throws when nobody answers to the name. */
  switchModel(name: string): Promise<void>;
}

export const leave = Symbol('leave');

interface SlashCommand {
  readonly name: string;
  readonly takes: string;
  readonly help: string;
  /** What to tell the user. */
  run(argument: string, controls: ChatControls): Promise<string | typeof leave>;
}

const commands: readonly SlashCommand[] = [
  { name: '/help', takes: '', help: 'this list', run: async () => describeCommands() },
  { name: '/model', takes: '[NAME]', help: 'show or change the model', run: showOrSwitchModel },
  { name: '/system', takes: '[TEXT]', help: 'show or change the system prompt; - removes it', run: showOrSetSystem },
  { name: '/clear', takes: '', help: 'forget what has been said', run: clear },
  { name: '/save', takes: '[FILE]', help: 'save the chat as Markdown, or as JSON to a .json file', run: save },
  { name: '/exit', takes: '', help: 'leave (also: exit, quit, Ctrl-D)', run: async () => leave },
];

export const commandNames: readonly string[] = commands.map(({ name }) => name);

const farewells: ReadonlySet<string> = new Set(['exit', 'quit', '/quit']);

/** Nothing when the line is not a command. */
export async function obey(line: string, controls: ChatControls): Promise<string | typeof leave | undefined> {
  if (farewells.has(line.toLowerCase())) return leave;
  if (!line.startsWith('/') || line.startsWith('//')) return undefined;
  const [, name = '', argument = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const command = commands.find((candidate) => candidate.name === name.toLowerCase());
  if (command === undefined) {
    const hint = didYouMean(name, commandNames) || '; /help lists what there is';
    throw new SimpleAgentsError('bad-request', `there is no ${name}${hint} (// at the start sends it as it is)`);
  }
  return command.run(argument.trim(), controls);
}

/** Two slashes stand for one that begins no command. */
export function unescape(line: string): string {
  return line.startsWith('//') ? line.slice(1) : line;
}

function describeCommands(): string {
  const rows = commands.map(({ name, takes, help }) => [`${name} ${takes}`.trimEnd(), help] as const);
  const keys = [
    ['\\ at the end', 'continue on the next line (so does Alt-Enter); pasted lines are one message'],
    ['Ctrl-C', 'stop the answer, or clear the line'],
  ] as const;
  return [...rows, ...keys].map(([left, right]) => `  ${left.padEnd(16)} ${right}`).join('\n');
}

async function showOrSwitchModel(name: string, controls: ChatControls): Promise<string> {
  if (name !== '') await controls.switchModel(name);
  return `model: ${controls.modelName}`;
}

async function showOrSetSystem(prompt: string, { conversation }: ChatControls): Promise<string> {
  if (prompt !== '') conversation.system = prompt === '-' ? undefined : prompt;
  return conversation.system === undefined ? 'no system prompt' : `system: ${conversation.system}`;
}

async function clear(_argument: string, { conversation }: ChatControls): Promise<string> {
  conversation.clear();
  return 'forgotten; the model and the system prompt stay';
}

async function save(file: string, { conversation, modelName, cwd }: ChatControls): Promise<string> {
  if (conversation.messages.length === 0) throw new SimpleAgentsError('bad-request', 'there is nothing to save yet');
  const name = await saveTranscript(file, { conversation, model: modelName, savedAt: new Date(), cwd });
  return `saved to ${name}`;
}
