// The Grep tool: finds lines that match a regular expression, with ripgrep. Input of the model is never passed as an option,
// and the user's ripgrep configuration is not read, because it could name programs to run.

import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { isOwnFile, ownFileGlobs } from '../own-files.ts';
import { withOutsidePath } from '../sandbox/search-path.ts';
import { defineTool, type Tool, type ToolContext } from '../../agent/tool.ts';
import { codeOf, explain, fail } from './failure.ts';
import { isWithin, resolveWorkspacePath, shownIn, type WorkspacePath } from './workspace-path.ts';
import { ignoredFolders } from './walk.ts';
import type { Workspace } from './workspace.ts';

const mostMatches = 50;
const longestLine = 500;
const timeout = 60_000;

const description = `Searches files for a regular expression (ripgrep syntax) and returns lines as path:line:text.
- At most 50 matches; lines are truncated at 500 characters. Narrow the search with path (a file or folder) and glob (such as *.ts).
- Case-sensitive unless ignore_case is true. Escape special characters to match them literally: foo\\(.
- Skipped: binary files, ${ignoredFolders.slice(0, 7).join(', ')} and similar folders, and paths ignored by .gitignore, unless path points there.`;

interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly 'ignore_case'?: boolean;
}

export function createGrep(workspace: Workspace): Tool {
  return defineTool({
    name: 'Grep',
    description,
    input: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, description: 'The regular expression.' },
        path: { type: 'string', description: 'The file or folder to search. Default: the workspace.' },
        glob: { type: 'string', description: 'Search only files whose path matches this glob.' },
        'ignore_case': { type: 'boolean', description: 'Ignore case. Default false.' },
      },
      required: ['pattern'],
    },
    effect: 'pure',
    run: (input, context) => grep(input, workspace, context),
  });
}

async function grep(input: GrepInput, workspace: Workspace, { signal }: ToolContext): Promise<string> {
  if (/[\0\n]/.test(input.pattern)) fail('pattern: must be a single line, because the search is line by line.');
  if (input.glob?.startsWith('!')) fail('glob: selects the files to search, so it must not start with "!".');
  const place = await resolveWorkspacePath(workspace, { field: 'path', path: input.path ?? '.', purpose: 'read' });
  const target = await targetOf(place);
  const search = new GrepRun(target, place, signal);
  const environment = withOutsidePath(workspace.environment, workspace.root);
  const ended = await search.run([...optionsFor(input, place, target), '--', target.name], environment);
  if (ended.problem !== undefined) fail(ended.problem);
  if (ended.lines.length === 0) return `No matches in ${place.shown}.`;
  return [...ended.lines, ...ended.notes].join('\n');
}

/** ripgrep runs in the folder that it searches, so that its globs do not apply to the path of that folder. */
interface GrepTarget {
  readonly folder: string;
  readonly name: string;
}

async function targetOf({ path, shown }: WorkspacePath): Promise<GrepTarget> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    return isFolder ? { folder: path, name: './' } : { folder: dirname(path), name: `./${basename(path)}` };
  } catch (error) {
    throw explain(error, `path: ${shown}`);
  }
}

function optionsFor(input: GrepInput, { limits }: WorkspacePath, { folder }: GrepTarget): string[] {
  const secrets = limits.secrets.filter((path) => isWithin(path, folder)).map((path) => `/${relative(folder, path)}`);
  const left = [...ignoredFolders, ...secrets.map(escapeGlob)];
  return [
    '--no-config',
    '--line-number',
    '--no-heading',
    '--with-filename',
    '--null',
    '--color=never',
    '--hidden',
    '--no-require-git',
    '--sort=path',
    `--max-columns=${longestLine}`,
    '--max-columns-preview',
    `--max-count=${mostMatches + 1}`,
    ...(input['ignore_case'] === true ? ['--ignore-case'] : ['--case-sensitive']),
    // If two globs match, the later one wins.
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
    ...left.map((name) => `--glob=!${name}`),
    ...ownFileGlobs.map((glob) => `--iglob=!${glob}`),
    `--regexp=${input.pattern}`,
  ];
}

function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}\\]/g, '\\$&');
}

interface SearchEnd {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  readonly problem?: string;
}

class GrepRun {
  readonly #target: GrepTarget;
  readonly #place: WorkspacePath;
  readonly #signal: AbortSignal;
  readonly #lines: string[] = [];
  #stderr = '';

  constructor(target: GrepTarget, place: WorkspacePath, signal: AbortSignal) {
    this.#target = target;
    this.#place = place;
    this.#signal = signal;
  }

  async run(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<SearchEnd> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(timeout)]);
    const child = spawn('rg', args, { cwd: this.#target.folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (this.#stderr.length < 2_000) this.#stderr += chunk;
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      if (this.#lines.length <= mostMatches) this.#lines.push(...this.#toShown(line));
      if (this.#lines.length > mostMatches) stop();
    });
    try {
      return this.#conclude(await ended, signal.aborted);
    } catch (error) {
      return { lines: [], notes: [], problem: explainStart(error) };
    } finally {
      lines.close();
      signal.removeEventListener('abort', stop);
    }
  }

  #conclude(exitCode: number | null, isStopped: boolean): SearchEnd {
    this.#signal.throwIfAborted();
    const lines = this.#lines.slice(0, mostMatches);
    const isCut = this.#lines.length > mostMatches;
    // ripgrep also exits with 2 if one of many files could not be read.
    if (exitCode === 2 && lines.length === 0) return { lines, notes: [], problem: `pattern: ${this.#stderr.trim()}` };
    const cut = `[more than ${mostMatches} matches; narrow the pattern, or set path or glob]`;
    return { lines, notes: isCut ? [cut] : isStopped ? [`[stopped after ${timeout / 1_000} s]`] : [] };
  }

  /** Empty for the agent's own files: the globs do not match them in a search that starts inside their folder. */
  #toShown(line: string): string[] {
    const [name = '', rest = ''] = line.split('\0', 2);
    const { folder } = this.#target;
    const { limits } = this.#place;
    const path = `${folder}/${name.replace(/^\.\//, '')}`;
    const root = limits.roots.find((each) => isWithin(path, each)) ?? folder;
    if (isOwnFile(relative(root, path))) return [];
    return [`${shownIn(limits.roots[0] ?? folder, path)}:${rest}`];
  }
}

function explainStart(error: unknown): string {
  if (codeOf(error) !== 'ENOENT') return `ripgrep failed: ${error instanceof Error ? error.message : String(error)}`;
  return 'Grep needs ripgrep (rg), which is not installed. Ask the user to install it (Debian, Ubuntu: apt-get install ripgrep; Fedora: dnf install ripgrep; macOS: brew install ripgrep), or search with Bash: grep -rn.';
}
