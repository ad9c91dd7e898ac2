// The list of tools of the coding agent, for one workspace.

import { ParallelLimit } from '../../agent/parallel-limit.ts';
import type { Tool } from '../../agent/tool.ts';
import { createBash } from './bash.ts';
import { createEdit } from './edit.ts';
import { FileReads } from './file-reads.ts';
import { createGlob } from './glob.ts';
import { createGrep } from './grep.ts';
import { createRead } from './read.ts';
import type { Workspace } from './workspace.ts';
import { createWrite } from './write.ts';

export type { EnteredCommand, Workspace } from './workspace.ts';

/** `reads` is cleared when a new session begins. */
export function createCodingTools(workspace: Workspace, reads = new FileReads()): readonly Tool[] {
  const changes = { reads, limit: new ParallelLimit(1) };
  return [
    createRead(workspace, reads),
    ...[createGlob, createGrep, createBash].map((create) => create(workspace)),
    createEdit(workspace, changes),
    createWrite(workspace, changes),
  ];
}
