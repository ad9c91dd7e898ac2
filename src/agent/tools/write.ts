// Write: a whole file.

import { defineTool, type Tool, type ToolContext } from '../tool.ts';
import { reportChange } from './edit.ts';
import { fail } from './failure.ts';
import { lineEndingOf, withLineEnding } from './line-ending.ts';
import { resolvePlace } from './place.ts';
import { loadTextFile, saveTextFile, toBytes } from './text-file.ts';
import type { Workspace } from './workspace.ts';

const longestText = 1024 * 1024;
const byteOrderMark = toBytes('\uFEFF');

const description = `Writes a whole text file, and shows the difference to the user. Makes missing folders.
- An existing file is replaced: Read it first. To change a part of a file use Edit.
- A file with \\r\\n line breaks or a byte order mark keeps them.
- content may have 1 MB. Only inside the workspace; .git and settings of agents are protected.`;

interface WriteInput {
  readonly 'file_path': string;
  readonly content: string;
}

export function createWrite(workspace: Workspace): Tool {
  return defineTool({
    name: 'Write',
    description,
    input: {
      type: 'object',
      properties: {
        'file_path': { type: 'string', description: 'The file, relative to the workspace or absolute.' },
        content: { type: 'string', description: 'All of its text.' },
      },
      required: ['file_path', 'content'],
    },
    effect: 'mutating',
    run: (input, context) => write(input, workspace, context),
  });
}

async function write(
  { 'file_path': path, content }: WriteInput,
  workspace: Workspace,
  context: ToolContext,
): Promise<string> {
  const size = Buffer.byteLength(content);
  if (size > longestText) fail(`content: has ${size} bytes; at most ${longestText}. Write the rest with Edit.`);
  const place = await resolvePlace(workspace, { field: 'file_path', path, purpose: 'write' });
  const before = await loadTextFile(place);
  const bytes = before === undefined ? toBytes(content) : inStyleOf(before.bytes, toBytes(content));
  if (bytes === before?.bytes) return `${place.shown} has this content already.`;
  context.signal.throwIfAborted();
  await saveTextFile(place, bytes, before);
  reportChange(place, { before, bytes }, context);
  return `${before === undefined ? 'Created' : 'Replaced'} ${place.shown} (${bytes.length} bytes).`;
}

function inStyleOf(old: string, bytes: string): string {
  const mark = old.startsWith(byteOrderMark) && !bytes.startsWith(byteOrderMark) ? byteOrderMark : '';
  return mark + withLineEnding(bytes, lineEndingOf(old));
}
