// The Read tool: reads a text file, a range of its lines, or an image.

import type { FileHandle } from 'node:fs/promises';
import { defineTool, type Tool, type ToolAnswer, type ToolContext } from '../../agent/tool.ts';
import { explain, fail } from './failure.ts';
import { openFile } from './file-handle.ts';
import { fingerprintOf, newFingerprint, unknownContent, type FileReads } from './file-reads.ts';
import { LineWindow, type LineRange } from './line-window.ts';
import { findUnsaved, largestFile } from './text-file.ts';
import { resolveWorkspacePath, type WorkspacePath } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

const largestText = 1024 * 1024;
/** 5 MB in base64, the most that providers accept. */
const largestImage = 3_750_000;

const description = `Reads a file of the workspace. Returns its text unchanged, without line numbers.
- Up to 1 MB. For larger files, pass offset and limit (in lines, counted from 1), or search with Grep.
- PNG, JPEG, GIF and WebP images up to 3.75 MB are shown as images. Other binary files (with a NUL byte) are an error.
- Does not list folders: use Glob.`;

interface ReadInput {
  readonly 'file_path': string;
  readonly offset?: number;
  readonly limit?: number;
}

export function createRead(workspace: Workspace, reads: FileReads): Tool {
  return defineTool({
    name: 'Read',
    description,
    input: {
      type: 'object',
      properties: {
        'file_path': { type: 'string', description: 'The file, relative to the workspace or absolute.' },
        offset: { type: 'integer', minimum: 1, description: 'The first line to read, counted from 1.' },
        limit: { type: 'integer', minimum: 1, description: 'The number of lines to read.' },
      },
      required: ['file_path'],
    },
    effect: 'pure',
    run: (input, context) => read(input, { workspace, reads }, context),
  });
}

interface ReadSetup {
  readonly workspace: Workspace;
  readonly reads: FileReads;
}

async function read(
  input: ReadInput,
  { workspace, reads }: ReadSetup,
  context: ToolContext,
): Promise<string | ToolAnswer> {
  const place = await resolveWorkspacePath(workspace, {
    field: 'file_path',
    path: input['file_path'],
    purpose: 'read',
  });
  let handle: FileHandle | undefined;
  try {
    handle = await openFile(place);
    const { answer, fingerprint } = await readFrom(handle, place, { input, signal: context.signal });
    reads.record(context, place, fingerprint);
    return answer;
  } catch (error) {
    throw explain(error, `file_path: ${place.shown}`);
  } finally {
    await handle?.close();
  }
}

interface ReadRequest {
  readonly input: ReadInput;
  readonly signal: AbortSignal;
}

/** What the model receives, and the fingerprint of the whole file. */
interface FileContent {
  readonly answer: string | ToolAnswer;
  readonly fingerprint: string;
}

async function readFrom(
  handle: FileHandle,
  place: WorkspacePath,
  { input, signal }: ReadRequest,
): Promise<FileContent> {
  const { size } = await handle.stat();
  const head = Buffer.alloc(16);
  await handle.read(head, 0, head.length, 0);
  const mediaType = imageTypeOf(head);
  if (mediaType !== undefined) return readImage(handle, place, { size, mediaType });
  const { offset = 1, limit } = input;
  const isWhole = input.offset === undefined && limit === undefined;
  const range = { first: offset, count: limit ?? Infinity };
  const unsaved = await readUnsaved(handle, place, size);
  if (unsaved !== undefined) {
    const answer = isWhole ? describeWhole(unsaved, place) : linesIn(unsaved, range, place);
    return { answer, fingerprint: fingerprintOf(unsaved) };
  }
  return isWhole ? readWhole(handle, place, size) : readLines(handle, place, { range, size, signal });
}

/** The text in the editor, if it differs from the file. */
async function readUnsaved(handle: FileHandle, place: WorkspacePath, size: number): Promise<Buffer | undefined> {
  if (place.editor?.read === undefined || size > largestFile) return undefined;
  const saved = await readUpTo(handle, size);
  const unsaved = saved.includes(0) ? undefined : await findUnsaved(place, saved.toString('latin1'));
  return unsaved === undefined ? undefined : Buffer.from(unsaved, 'latin1');
}

function linesIn(bytes: Buffer, range: LineRange, { shown }: WorkspacePath): string {
  const window = new LineWindow(range, largestText);
  window.push(bytes);
  return describeLines(window, range, shown);
}

interface ImageFile {
  readonly size: number;
  readonly mediaType: string;
}

async function readImage(
  handle: FileHandle,
  { shown }: WorkspacePath,
  { size, mediaType }: ImageFile,
): Promise<FileContent> {
  if (size > largestImage)
    fail(`${shown} is an image of ${size} bytes; the limit is ${largestImage}. Make it smaller first.`);
  const bytes = await readUpTo(handle, size);
  const source = { kind: 'base64', mediaType, data: bytes.toString('base64') } as const;
  return { answer: { content: [{ type: 'image', source }] }, fingerprint: fingerprintOf(bytes) };
}

async function readWhole(handle: FileHandle, place: WorkspacePath, size: number): Promise<FileContent> {
  checkSize(size, place);
  // Files in /proc and similar file systems report a size of 0 bytes.
  const bytes = await readUpTo(handle, size === 0 ? largestText : size);
  return { answer: describeWhole(bytes, place), fingerprint: fingerprintOf(bytes) };
}

function checkSize(size: number, { shown }: WorkspacePath): void {
  if (size <= largestText) return;
  fail(`${shown} has ${size} bytes; the limit is ${largestText}. Pass offset and limit, or search with Grep.`);
}

function describeWhole(bytes: Buffer, place: WorkspacePath): string {
  const { shown } = place;
  checkSize(bytes.length, place);
  if (bytes.includes(0)) failBinary(shown);
  return bytes.length === 0 ? `(${shown} is empty)` : bytes.toString('utf8');
}

async function readUpTo(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

interface LineRequest {
  readonly range: LineRange;
  /** Of the file. */
  readonly size: number;
  readonly signal: AbortSignal;
}

async function readLines(
  handle: FileHandle,
  { shown }: WorkspacePath,
  { range, size, signal }: LineRequest,
): Promise<FileContent> {
  const window = new LineWindow(range, largestText);
  const whole = newFingerprint();
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let position = 0;
  // The rest of a file that Edit and Write could change is read too, for its fingerprint.
  while (!window.isFull || Math.max(size, position) <= largestFile) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = chunk.subarray(0, bytesRead);
    whole.update(bytes);
    if (window.isFull) continue;
    if (bytes.includes(0)) failBinary(shown);
    window.push(bytes);
  }
  const fingerprint = Math.max(size, position) <= largestFile ? whole.digest('base64') : unknownContent;
  return { answer: describeLines(window, range, shown), fingerprint };
}

function describeLines(window: LineWindow, { first }: LineRange, shown: string): string {
  const { text, total, isCut, isFull } = window;
  const lines = countLines(text);
  if (lines === 0) return fail(`offset: ${shown} has only ${total} ${total === 1 ? 'line' : 'lines'}.`);
  const last = first + lines - 1;
  const rest = isCut
    ? 'cut at 1 MB; continue with a larger offset'
    : isFull
      ? 'the file may have more lines'
      : `the file has ${total} ${total === 1 ? 'line' : 'lines'}`;
  return `${text}${text.endsWith('\n') ? '' : '\n'}[lines ${first} to ${last}; ${rest}]`;
}

function countLines(text: string): number {
  const parts = text.split('\n').length;
  return text.endsWith('\n') || text === '' ? parts - 1 : parts;
}

function failBinary(shown: string): never {
  return fail(
    `${shown} is a binary file (it contains a NUL byte). Inspect it with Bash, for example with file or xxd.`,
  );
}

/** The kinds of images that models can read, recognised by their first bytes. */
const imageTypes: readonly { readonly mediaType: string; readonly starts: (bytes: string) => boolean }[] = [
  { mediaType: 'image/png', starts: (bytes) => bytes.startsWith('\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', starts: (bytes) => bytes.startsWith('\xff\xd8\xff') },
  { mediaType: 'image/gif', starts: (bytes) => /^GIF8[79]a/.test(bytes) },
  { mediaType: 'image/webp', starts: (bytes) => /^RIFF[^]{4}WEBP/.test(bytes) },
];

function imageTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 16);
  return imageTypes.find(({ starts }) => starts(head))?.mediaType;
}
