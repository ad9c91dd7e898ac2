// The slash commands of the chat.

import { SimpleAgentsError } from '../../../core/error.ts';
import { describeCommands, leave, runSlashCommand, type SlashCommand } from '../../slash-command.ts';
import type { Conversation } from './conversation.ts';
import { saveTranscript } from './transcript.ts';

/** What a command can do to its chat. */
export interface ChatControls {
  readonly conversation: Conversation;
  readonly modelName: string;
  readonly cwd: string;
  /** Throws if there is no such model. */
  switchModel(name: string): Promise<void>;
}

const commands: readonly SlashCommand<ChatControls>[] = [
  { name: '/help', takes: '', help: 'show this list', run: async () => describeCommands(commands) },
  { name: '/model', takes: '[NAME]', help: 'show or change the model', run: showOrSwitchModel },
  { name: '/system', takes: '[TEXT]', help: 'show or change the system prompt; - removes it', run: showOrSetSystem },
  { name: '/clear', takes: '', help: 'clear the conversation', run: clear },
  { name: '/save', takes: '[FILE]', help: 'save the chat as Markdown, or as JSON to a .json file', run: save },
  { name: '/exit', takes: '', help: 'exit the chat (also: exit, quit, Ctrl-D)', run: async () => leave },
];

export const commandNames: readonly string[] = commands.map(({ name }) => name);

/** Undefined if the line is not a command. */
export function runChatCommand(line: string, controls: ChatControls): Promise<string | typeof leave | undefined> {
  return runSlashCommand(line, commands, controls);
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
  return 'conversation cleared; the model and the system prompt are unchanged';
}

async function save(file: string, { conversation, modelName, cwd }: ChatControls): Promise<string> {
  if (conversation.messages.length === 0)
    throw new SimpleAgentsError('bad-request', 'the conversation is empty; there is nothing to save');
  const name = await saveTranscript(file, { conversation, model: modelName, savedAt: new Date(), cwd });
  return `saved to ${name}`;
}
