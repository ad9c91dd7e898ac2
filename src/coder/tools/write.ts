// The Write tool: creates or replaces a file.

import { defineTool, type Tool, type ToolCaller } from '../../agent/tool.ts';
import { fail } from './failure.ts';
import {
  applyChange,
  countLines,
  previewChange,
  type FileChanges,
  type KnownFiles,
  type PlannedChange,
} from './file-change.ts';
import { lineEndingOf, withLineEnding } from './line-ending.ts';
import { resolveWorkspacePath, type WorkspacePath } from './workspace-path.ts';
import { loadTextFile, toBytes, type TextFile } from './text-file.ts';
import type { Workspace } from './workspace.ts';

const longestText = 1024 * 1024;
const byteOrderMark = toBytes('\uFEFF');

const description = `Writes a complete text file and shows the diff to the user. Creates missing folders.
- An existing file is replaced. It must have been read with Read in this session, and not have changed since, also not by a command: otherwise Read it again first. To change part of a file, use Edit.
- A file with \\r\\n line endings or a byte order mark keeps them.
- Limit: 1 MB of content. Only files inside the workspace; .git and agent settings are protected.`;

interface WriteInput {
  readonly 'file_path': string;
  readonly content: string;
}

export function createWrite(workspace: Workspace, changes: FileChanges): Tool {
  const { reads, limit } = changes;
  const plan = (input: WriteInput, caller: ToolCaller) => planWrite(input, workspace, { reads, caller });
  return defineTool({
    name: 'Write',
    description,
    input: {
      type: 'object',
      properties: {
        'file_path': { type: 'string', description: 'The file, relative to the workspace or absolute.' },
        content: { type: 'string', description: 'The complete text of the file.' },
      },
      required: ['file_path', 'content'],
    },
    effect: 'mutating',
    preview: async (input, caller) => previewChange(await plan(input, caller)),
    run: (input, context) =>
      limit.run(async () => applyChange(await plan(input, context), reads, context), context.signal),
  });
}

async function planWrite(
  { 'file_path': path, content }: WriteInput,
  workspace: Workspace,
  { reads, caller }: KnownFiles,
): Promise<PlannedChange> {
  const size = Buffer.byteLength(content);
  if (size > longestText) fail(`content: has ${size} bytes; the limit is ${longestText}. Append the rest with Edit.`);
  const place = await resolveWorkspacePath(workspace, { field: 'file_path', path, purpose: 'write' });
  const before = await loadTextFile(place);
  const bytes = before === undefined ? toBytes(content) : inStyleOf(before.bytes, toBytes(content));
  if (before !== undefined && before.bytes !== bytes) reads.checkRead(caller, place, before.bytes);
  return { place, before, bytes, isKnown: true, ...describe(place, before, bytes) };
}

function describe(
  { shown }: WorkspacePath,
  before: TextFile | undefined,
  bytes: string,
): Pick<PlannedChange, 'title' | 'answer'> {
  const answer = `${before === undefined ? 'Created' : 'Replaced'} ${shown} (${bytes.length} bytes).`;
  if (before === undefined) return { title: `creates ${shown} (${countLines(bytes)})`, answer };
  if (before.bytes === bytes) return { title: '', answer: `${shown} already has this content.` };
  return { title: `overwrites ${shown}: ${countLines(before.bytes)} → ${countLines(bytes)}`, answer };
}

function inStyleOf(old: string, bytes: string): string {
  const mark = old.startsWith(byteOrderMark) && !bytes.startsWith(byteOrderMark) ? byteOrderMark : '';
  return mark + withLineEnding(bytes, lineEndingOf(old));
}
