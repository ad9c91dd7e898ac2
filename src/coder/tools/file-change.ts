// A change of one text file. It is planned once to check and preview it before the user is asked, and planned again when it
// is applied, because the file may have changed in between.

import type { ParallelLimit } from '../../agent/parallel-limit.ts';
import { toAnswer, type ToolAnswer, type ToolCaller, type ToolContext, type ToolPreview } from '../../agent/tool.ts';
import { diff } from './diff.ts';
import { fingerprintOf, type FileReads } from './file-reads.ts';
import type { WorkspacePath } from './workspace-path.ts';
import { fromBytes, checkWritable, saveTextFile, type TextFile } from './text-file.ts';

export interface FileChanges {
  readonly reads: FileReads;
  /** Makes the changes of parallel subagents one at a time, so that none is lost. */
  readonly limit: ParallelLimit;
}

/** What the caller of a tool has read. */
export interface KnownFiles {
  readonly reads: FileReads;
  readonly caller: ToolCaller;
}

export interface PlannedChange {
  readonly place: WorkspacePath;
  /** Undefined for a new file. */
  readonly before: TextFile | undefined;
  readonly bytes: string;
  /** The model knows the whole text after the change. */
  readonly isKnown: boolean;
  /** For the user, before the change: `overwrites a.txt`. */
  readonly title: string;
  /** For the model, after the change. */
  readonly answer: string;
}

/** Throws if the change cannot be made. Returns the answer if there is nothing to change. */
export function previewChange(planned: PlannedChange): ToolPreview | ToolAnswer {
  const { place, before, bytes, title, answer } = planned;
  if (bytes === before?.bytes) return toAnswer(answer);
  checkWritable(place, before);
  return { title, text: describeChange(planned, true) };
}

/** The change is recorded in `reads`. */
export async function applyChange(planned: PlannedChange, reads: FileReads, context: ToolContext): Promise<string> {
  const { place, before, bytes, isKnown, answer } = planned;
  if (bytes !== before?.bytes) await save(planned, context);
  if (isKnown) reads.record(context, place, fingerprintOf(bytes));
  return answer;
}

async function save(planned: PlannedChange, context: ToolContext): Promise<void> {
  const { place, before, bytes } = planned;
  context.signal.throwIfAborted();
  await saveTextFile(place, bytes, before);
  // The user sees what changed; the model knows it already.
  context.output(describeChange(planned, false));
}

function describeChange({ place, before, bytes }: PlannedChange, isWhole: boolean): string {
  const old = before === undefined ? undefined : fromBytes(before.bytes);
  return diff({ path: place.shown, before: old, after: fromBytes(bytes), isWhole });
}

/** `1 line`, `12 lines`. */
export function countLines(bytes: string): string {
  const count = bytes === '' ? 0 : bytes.split('\n').length - (bytes.endsWith('\n') ? 1 : 0);
  return `${count} ${count === 1 ? 'line' : 'lines'}`;
}
