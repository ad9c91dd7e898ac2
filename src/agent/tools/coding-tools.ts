// The tools of the coding agent, over one workspace.

import { defineTool, type Tool } from '../tool.ts';
import type { Workspace } from './workspace.ts';

export type { EnteredCommand, Workspace } from './workspace.ts';

export function createCodingTools({ root }: Workspace): readonly Tool[] {
  const names = ['Read', 'Glob', 'Grep', 'Bash', 'Edit', 'Write'];
  return names.map((name) => defineTool({ name, description: name, run: () => `${name} in ${root}` }));
}
