// A conversation as a file: Markdown for people, JSON for programs. Never written over a file that is there.

import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { SimpleAgentsError } from '../../../core/error.ts';
import { textOf } from '../../../core/message.ts';
import type { Conversation } from './conversation.ts';

export interface TranscriptDetails {
  readonly model: string;
  readonly savedAt: Date;
}

/** Gives back the name of the file. */
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
  EEXIST: 'is already there; choose another name',
  EISDIR: 'is a folder; name a file in it',
  ENOENT: 'the folder does not exist',
  EACCES: 'may not be written; check the permissions of the folder',
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
