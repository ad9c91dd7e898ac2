// How an editor shows a tool call: its kind, a title that says what it does, the files it touches, and its change as a
// diff. Knows the tools of forgeflare and of the claude CLI; any other tool is shown by its name.

import { entryOf, isRecord } from '../core/json.ts';
import type { PlanEntry, ToolCallContent, ToolCallLocation, ToolCallMembers, ToolKind } from './types.ts';

type Input = Readonly<Record<string, unknown>>;

interface ToolDisplay {
  readonly kind: ToolKind;
  readonly title: (input: Input) => string | undefined;
  readonly content?: (input: Input) => ToolCallContent[];
}

const fileTool = (kind: ToolKind, verb: string): ToolDisplay => ({
  kind,
  title: (input) => withSubject(verb, pathOf(input)),
});

const searchTool = (verb: string): ToolDisplay => ({
  kind: 'search',
  title: (input) => withSubject(verb, stringOf(input['pattern']) ?? stringOf(input['query']) ?? pathOf(input)),
});

const fetchTool = (verb: string): ToolDisplay => ({
  kind: 'fetch',
  title: (input) => withSubject(verb, stringOf(input['url']) ?? stringOf(input['query'])),
});

const subagent: ToolDisplay = {
  kind: 'think',
  title: (input) => stringOf(input['description']),
  content: (input) => textContent(input['prompt']),
};

const displays: Readonly<Record<string, ToolDisplay>> = {
  Read: { ...fileTool('read', 'Read'), title: (input) => withSubject('Read', pathOf(input), rangeOf(input)) },
  Edit: { ...fileTool('edit', 'Edit'), content: editDiffs },
  MultiEdit: { ...fileTool('edit', 'Edit'), content: editDiffs },
  Write: { ...fileTool('edit', 'Write'), content: writeDiff },
  NotebookEdit: fileTool('edit', 'Edit'),
  // The whole command, because it is what the user is asked to permit.
  Bash: {
    kind: 'execute',
    title: (input) => stringOf(input['command']),
    content: (input) => textContent(input['description']),
  },
  Glob: searchTool('Find'),
  Grep: searchTool('Search'),
  LS: searchTool('List'),
  ToolSearch: searchTool('Search tools'),
  WebFetch: fetchTool('Fetch'),
  WebSearch: fetchTool('Search the web:'),
  Task: subagent,
  Agent: subagent,
  TodoWrite: { kind: 'think', title: () => 'Update the plan' },
  EnterPlanMode: { kind: 'switch_mode', title: () => 'Start planning' },
  ExitPlanMode: { kind: 'switch_mode', title: () => 'Ready to code?', content: (input) => textContent(input['plan']) },
};

/** Editors need absolute paths. Relative ones start at `folder`. */
export function describeToolCall(name: string, rawInput: unknown, folder?: string): ToolCallMembers {
  const input = isRecord(rawInput) ? rawInput : {};
  const display = entryOf(displays, name);
  return {
    title: display?.title(input) || name || 'Tool',
    name,
    kind: display?.kind ?? 'other',
    content: (display?.content?.(input) ?? []).map((part) => (part.type === 'diff' ? atFolder(part, folder) : part)),
    locations: locationsOf(input).map((location) => atFolder(location, folder)),
    rawInput,
  };
}

function atFolder<T extends { readonly path: string }>(place: T, folder: string | undefined): T {
  if (folder === undefined || /^([A-Za-z]:)?[\\/]/.test(place.path)) return place;
  return { ...place, path: `${folder.replace(/[\\/]+$/, '')}/${place.path.replace(/^\.\//, '')}` };
}

/** The list of a `TodoWrite` call; `undefined` for any other call. */
export function planOf(name: string, input: unknown): PlanEntry[] | undefined {
  if (name !== 'TodoWrite' || !isRecord(input) || !Array.isArray(input['todos'])) return undefined;
  return input['todos'].filter(isRecord).map(({ content, status }) => ({
    content: stringOf(content) ?? '',
    priority: 'medium',
    status: status === 'in_progress' || status === 'completed' ? status : 'pending',
  }));
}

function editDiffs(input: Input): ToolCallContent[] {
  const path = pathOf(input);
  const edits = Array.isArray(input['edits']) ? input['edits'].filter(isRecord) : [input];
  return edits.flatMap((edit): ToolCallContent[] => {
    const oldText = stringOf(edit['old_string']) ?? stringOf(edit['old_str']);
    const newText = stringOf(edit['new_string']) ?? stringOf(edit['new_str']);
    if (path === undefined || newText === undefined) return [];
    return [{ type: 'diff', path, oldText: oldText ?? null, newText }];
  });
}

/** The old text is not known before the call runs. */
function writeDiff(input: Input): ToolCallContent[] {
  const path = pathOf(input);
  const newText = stringOf(input['content']);
  return path === undefined || newText === undefined ? [] : [{ type: 'diff', path, oldText: null, newText }];
}

function locationsOf(input: Input): ToolCallLocation[] {
  const path = pathOf(input);
  if (path === undefined) return [];
  const line = input['offset'];
  return [Number.isSafeInteger(line) && (line as number) > 0 ? { path, line: line as number } : { path }];
}

function pathOf(input: Input): string | undefined {
  return stringOf(input['file_path']) ?? stringOf(input['notebook_path']) ?? stringOf(input['path']);
}

function rangeOf({ offset, limit }: Input): string {
  if (typeof limit !== 'number') return typeof offset === 'number' ? `(from line ${offset})` : '';
  const first = typeof offset === 'number' ? offset : 1;
  return `(lines ${first}–${first + limit - 1})`;
}

function withSubject(verb: string, subject: string | undefined, remark = ''): string {
  return [verb, subject ?? '', remark].filter((part) => part !== '').join(' ');
}

function textContent(value: unknown): ToolCallContent[] {
  const text = stringOf(value);
  return text === undefined ? [] : [{ type: 'content', content: { type: 'text', text } }];
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
