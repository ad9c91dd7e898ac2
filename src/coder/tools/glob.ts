// The Glob tool: lists a folder, or finds paths by a pattern.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, type Tool, type ToolContext } from '../../agent/tool.ts';
import { explain, fail } from './failure.ts';
import { hasWildcard, parsePattern, type GlobPattern } from './glob-pattern.ts';
import { isWithin, objectionTo, resolveWorkspacePath, shownIn, type WorkspacePath } from './workspace-path.ts';
import { ignoredFolders, walk, type WalkedEntry } from './walk.ts';
import type { Workspace } from './workspace.ts';

const mostEntries = 1_000;
const mostVisited = 500_000;

const description = `Finds files and folders by name. Two modes:
- Without pattern: lists a folder (path, or the workspace). Set recursive to list everything below it too. Default false.
- With pattern: lists paths that match a glob (* ? [a-z] {a,b}, ** for any depth), such as src/**/*.ts, relative to path. A pattern without "/" matches only in that folder unless recursive is true.
Folders end in "/". At most 1000 entries. Skipped at any depth: ${ignoredFolders.slice(0, 7).join(', ')} and similar folders, and paths ignored by .gitignore, unless the path itself points there. Links are not followed.`;

interface GlobInput {
  readonly pattern?: string;
  readonly path?: string;
  readonly recursive?: boolean;
}

export function createGlob(workspace: Workspace): Tool {
  return defineTool({
    name: 'Glob',
    description,
    input: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'A glob pattern. Default: everything in the folder.' },
        path: { type: 'string', description: 'The folder. Default: the workspace.' },
        recursive: { type: 'boolean', description: 'Also search in subfolders. Default false.' },
      },
      required: [],
    },
    effect: 'pure',
    run: (input, context) => glob(input, workspace, context),
  });
}

async function glob(input: GlobInput, workspace: Workspace, { signal }: ToolContext): Promise<string> {
  const { folder, pattern, isRecursive } = toSearch(input);
  const place = await resolveWorkspacePath(workspace, { field: folder.field, path: folder.path, purpose: 'read' });
  const root = place.limits.roots.find((each) => isWithin(place.path, each)) ?? place.path;
  const kind = await kindOf(place, folder.field);
  if (kind === 'file') return place.shown;
  const found: string[] = [];
  let visited = 0;
  for await (const entry of walk({ root, folder: place.path, isRecursive, signal })) {
    visited += 1;
    if (found.length >= mostEntries || visited > mostVisited) return `${found.join('\n')}\n${cutNote(found.length)}`;
    if (pattern?.matches(entry.path) ?? true) found.push(...shownEntry(entry, place));
  }
  return found.length === 0 ? nothingFound(input, place) : found.join('\n');
}

interface GlobSearch {
  readonly folder: { readonly field: string; readonly path: string };
  readonly pattern?: GlobPattern;
  readonly isRecursive: boolean;
}

/** The names before the first wildcard determine the folder, so that an ignored folder can be searched on purpose. */
function toSearch({ pattern, path = '.', recursive = false }: GlobInput): GlobSearch {
  if (pattern === undefined || pattern === '' || pattern === '.') {
    return { folder: { field: 'path', path }, isRecursive: recursive };
  }
  if (pattern.split('/').includes('..')) fail('pattern: must not contain ".."; pass the folder in path.');
  const names = pattern.replace(/^\.\//, '').split('/');
  const first = names.findIndex(hasWildcard);
  const fixed = first === -1 ? names : names.slice(0, first);
  // An absolute pattern begins with an empty name.
  const start = fixed.length === 1 && fixed[0] === '' ? '/' : fixed.join('/');
  const folder = fixed.length === 0 ? path : pattern.startsWith('/') ? start : join(path, start);
  if (first === -1) return { folder: { field: 'pattern', path: folder }, isRecursive: recursive };
  const rest = names.slice(first);
  const isDeep = recursive && rest.length === 1 && first === 0;
  return {
    folder: { field: fixed.length === 0 ? 'path' : 'pattern', path: folder },
    pattern: parsePattern(isDeep ? `**/${rest.join('/')}` : rest.join('/')),
    isRecursive: recursive || rest.length > 1 || rest[0] === '**',
  };
}

async function kindOf({ path, shown }: WorkspacePath, field: string): Promise<'file' | 'folder'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    throw explain(error, `${field}: ${shown}`);
  }
}

function shownEntry({ path, isFolder }: WalkedEntry, { path: base, limits }: WorkspacePath): string[] {
  const full = join(base, path);
  if (objectionTo(full, limits, 'read') !== undefined) return [];
  const shown = shownIn(limits.roots[0] ?? base, full);
  return [isFolder ? `${shown}/` : shown];
}

function cutNote(count: number): string {
  return `[stopped after ${count} entries; narrow the pattern or search a subfolder]`;
}

function nothingFound({ pattern, recursive = false }: GlobInput, { shown }: WorkspacePath): string {
  if (pattern === undefined) return `(${shown} is empty, or everything in it is ignored)`;
  const hint = !recursive && !pattern.includes('/') ? ' Set recursive to search in subfolders.' : '';
  return `No path in ${shown} matches ${pattern}.${hint}`;
}
