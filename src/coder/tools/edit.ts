// The Edit tool: replaces exact text in a file, appends to a file, or creates one.

import { defineTool, type Tool, type ToolCaller } from '../../agent/tool.ts';
import { hintFor } from './edit-hint.ts';
import { fail } from './failure.ts';
import {
  applyChange,
  countLines,
  previewChange,
  type FileChanges,
  type KnownFiles,
  type PlannedChange,
} from './file-change.ts';
import { lineEndingOf, unify, withLineEnding } from './line-ending.ts';
import { resolveWorkspacePath, type WorkspacePath } from './workspace-path.ts';
import { replaceIn } from './replacement.ts';
import { fromBytes, largestFile, loadTextFile, toBytes, type TextFile } from './text-file.ts';
import type { Workspace } from './workspace.ts';

const longestText = 100 * 1024;

const description = `Changes a text file by exact replacement and shows the diff to the user.
- old_str must match the file exactly, including white space; \\n also matches \\r\\n, and the file keeps its own line breaks.
- A file that changed after you read it, also by a command, must be read again with Read first.
- If old_str occurs more than once, it is an error: add surrounding lines to make it unique, or set replace_all.
- With an empty old_str, a missing file is created from new_str (with its folders), and new_str is appended to an existing file.
- Limits: 100 KB each for old_str and new_str, 10 MB for the file. Only files inside the workspace; .git and agent settings are protected.`;

interface EditInput {
  readonly 'file_path': string;
  readonly 'old_str': string;
  readonly 'new_str': string;
  readonly 'replace_all'?: boolean;
}

export function createEdit(workspace: Workspace, changes: FileChanges): Tool {
  const { reads, limit } = changes;
  const plan = (input: EditInput, caller: ToolCaller) => planEdit(input, workspace, { reads, caller });
  return defineTool({
    name: 'Edit',
    description,
    input: {
      type: 'object',
      properties: {
        'file_path': { type: 'string', description: 'The file, relative to the workspace or absolute.' },
        'old_str': { type: 'string', description: 'The text to replace. Empty: create the file or append to it.' },
        'new_str': { type: 'string', description: 'The replacement text.' },
        'replace_all': { type: 'boolean', description: 'Replace every occurrence. Default false.' },
      },
      required: ['file_path', 'old_str', 'new_str'],
    },
    effect: 'mutating',
    preview: async (input, caller) => previewChange(await plan(input, caller)),
    run: (input, context) =>
      limit.run(async () => applyChange(await plan(input, context), reads, context), context.signal),
  });
}

async function planEdit(input: EditInput, workspace: Workspace, { reads, caller }: KnownFiles): Promise<PlannedChange> {
  checkLength('old_str', input['old_str']);
  checkLength('new_str', input['new_str']);
  const place = await resolveWorkspacePath(workspace, {
    field: 'file_path',
    path: input['file_path'],
    purpose: 'write',
  });
  const before = await loadTextFile(place);
  reads.checkUnchanged(caller, place, before?.bytes);
  const change = input['old_str'] === '' ? planAppend(input, place, before) : planReplacement(input, place, before);
  return { place, before, isKnown: before === undefined || reads.has(caller, place), ...change };
}

function checkLength(field: string, text: string): void {
  const size = Buffer.byteLength(text);
  if (size > longestText) fail(`${field}: has ${size} bytes; the limit is ${longestText}. Make several edits.`);
}

type PlannedEdit = Pick<PlannedChange, 'bytes' | 'title' | 'answer'>;

function planAppend(
  { 'new_str': newText }: EditInput,
  { shown }: WorkspacePath,
  before: TextFile | undefined,
): PlannedEdit {
  if (before === undefined) {
    const bytes = toBytes(newText);
    return { bytes, title: `creates ${shown} (${countLines(bytes)})`, answer: `Created ${shown}.` };
  }
  if (newText === '') fail(`new_str: must not be empty when appending to ${shown}.`);
  const { bytes } = before;
  const added = withLineEnding(toBytes(newText), lineEndingOf(bytes));
  if (bytes.length + added.length > largestFile) fail(`new_str: would make ${shown} larger than ${largestFile} bytes.`);
  const isOpen = bytes !== '' && !bytes.endsWith('\n');
  const note = isOpen ? ' The last line had no line break, so the text continues that line.' : '';
  return { bytes: bytes + added, title: `appends to ${shown}`, answer: `Appended to ${shown}.${note}` };
}

function planReplacement(input: EditInput, { shown }: WorkspacePath, before: TextFile | undefined): PlannedEdit {
  const { 'old_str': oldText, 'new_str': newText, 'replace_all': isEverywhere = false } = input;
  if (before === undefined) return fail(`file_path: ${shown} does not exist. To create it, pass an empty old_str.`);
  if (unify(oldText) === unify(newText)) fail('new_str: is identical to old_str, so nothing would change.');
  const { bytes } = before;
  const outcome = replaceIn(bytes, {
    oldText: toBytes(oldText),
    newText: toBytes(newText),
    isEverywhere,
    longest: largestFile,
  });
  switch (outcome.kind) {
    case 'missing':
      return fail(`old_str: not found in ${shown}. ${hintFor(unify(oldText), unify(fromBytes(bytes)))}`);
    case 'ambiguous':
      return fail(
        `old_str: found ${outcome.count} times in ${shown} (lines ${outcome.lines.join(', ')}${outcome.count > outcome.lines.length ? ', …' : ''}). Add surrounding lines to make it unique, or set replace_all to true.`,
      );
    case 'too-large':
      return fail(
        `replace_all: ${outcome.count} replacements in ${shown} are too many, or would make the file too large; use Bash.`,
      );
    default: {
      const where = `${shown}${outcome.count > 1 ? ` in ${outcome.count} places` : ''}`;
      return { bytes: outcome.text, title: `changes ${where}`, answer: `Edited ${where}.` };
    }
  }
}
