// The list of tools of the coding agent, for one workspace.

import { ParallelLimit } from '../../agent/parallel-limit.ts';
import type { Tool } from '../../agent/tool.ts';
import { createBash } from './bash.ts';
import { createEdit } from './edit.ts';
import { createGlob } from './glob.ts';
import { createGrep } from './grep.ts';
import { createRead } from './read.ts';
import type { Workspace } from './workspace.ts';
import { createWrite } from './write.ts';

export type { EnteredCommand, Workspace } from './workspace.ts';

export function createCodingTools(workspace: Workspace): readonly Tool[] {
  const changes = new ParallelLimit(1);
  return [
    ...[createRead, createGlob, createGrep, createBash].map((create) => create(workspace)),
    createEdit(workspace, changes),
    createWrite(workspace, changes),
  ];
}
