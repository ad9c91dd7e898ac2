// Saves a conversation to a file, as Markdown or JSON. Never overwrites a file.

import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { SimpleAgentsError } from '../../../core/error.ts';
import { textOf } from '../../../core/message.ts';
import type { Conversation } from './conversation.ts';

export interface TranscriptDetails {
  readonly model: string;
  readonly savedAt: Date;
}

/** Returns the name of the file. */
export async function saveTranscript(
  file: string,
  { conversation, cwd, ...details }: TranscriptDetails & { conversation: Conversation; cwd: string },
): Promise<string> {
  const name = file === '' ? defaultName(details.savedAt) : file;
  const isJson = extname(name).toLowerCase() === '.json';
  const content = isJson ? toJson(conversation, details) : toMarkdown(conversation, details);
  await writeFile(resolve(cwd, name), content, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw new SimpleAgentsError('bad-request', `${name}: ${writeFailures[error.code ?? ''] ?? error.message}`);
  });
  return name;
}

const writeFailures: Readonly<Record<string, string>> = {
  EEXIST: 'the file already exists; choose another name',
  EISDIR: 'is a directory; add a file name',
  ENOENT: 'the directory does not exist; create it first',
  EACCES: 'permission denied; check the permissions of the directory',
};

function defaultName(date: Date): string {
  return `chat-${date.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')}.md`;
}

export function toMarkdown({ system, messages }: Conversation, { model, savedAt }: TranscriptDetails): string {
  const sections = [`# Chat with ${model}`, `Saved ${savedAt.toISOString()}`];
  if (system !== undefined) sections.push('## System', system);
  for (const { role, content } of messages) sections.push(role === 'user' ? '## You' : '## Model', textOf(content));
  return `${sections.join('\n\n')}\n`;
}

export function toJson({ system, messages }: Conversation, { model, savedAt }: TranscriptDetails): string {
  return `${JSON.stringify({ model, savedAt, system, messages }, null, 2)}\n`;
}
