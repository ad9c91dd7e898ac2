// `forgeflare sessions`: lists, shows, exports and forks the sessions of a project. Only `fork` and `export --to` write files.

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { LoadedSession, SessionSummary } from '../../coder/session/store.ts';
import type { SubagentTranscript } from '../../coder/session/subagent-transcript.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { outputOption } from '../flags.ts';
import type { Invocation, Run } from '../invocation.ts';
import { formatTable, type Column } from '../terminal/table.ts';
import { toPrintable, widthOf, write, type Terminal } from '../terminal/terminal.ts';
import { sessionLines } from './session-lines.ts';

interface FolderFlags {
  readonly cwd?: string;
}

interface SessionListFlags extends FolderFlags {
  readonly output: 'text' | 'json';
}

interface ExportFlags extends FolderFlags {
  readonly to?: string;
}

export function registerSessions(program: Command, run: Run): void {
  const sessions = program.command('sessions').description('list, show, export or fork the sessions of this project');
  withFolder(sessions.command('list', { isDefault: true }).description('list the sessions, most recently used first'))
    .addOption(outputOption())
    .action((flags: SessionListFlags) => run((invocation) => list(flags, invocation), flags.output));
  withFolder(sessions.command('show <session>').description('show the messages and tool calls of a session')).action(
    (id: string, flags: FolderFlags) => run((invocation) => show(id, flags, invocation)),
  );
  withFolder(sessions.command('export <session>').description('export a session as markdown'))
    .option('--to <file>', 'write to this file (default: standard output)')
    .action((id: string, flags: ExportFlags) => run((invocation) => exportOne(id, flags, invocation)));
  withFolder(sessions.command('fork <session>').description('copy a session into a new one')).action(
    (id: string, flags: FolderFlags) => run((invocation) => fork(id, flags, invocation)),
  );
  sessions.addHelpText('after', examples);
}

function withFolder(command: Command): Command {
  return command.option('--cwd <folder>', 'the project (default: the current folder)');
}

const examples = `
Name a session by its id, by the beginning of its id or uuid, or by "last".

Examples:
  forgeflare sessions
  forgeflare sessions show last
  forgeflare sessions export 3f2a --to talk.md
  forgeflare sessions fork 3f2a`;

async function list({ output, ...flags }: SessionListFlags, { terminal }: Invocation): Promise<number> {
  const { listSessions } = await import('../../coder/session/store.ts');
  const sessions = await listSessions(folderOf(flags, terminal));
  await write(terminal.stdout, output === 'json' ? toJson(sessions) : toText(sessions, terminal));
  return 0;
}

async function show(id: string, flags: FolderFlags, { terminal }: Invocation): Promise<number> {
  const session = await loadNamed(id, flags, terminal);
  await tellProblems(session, terminal);
  const lines = sessionLines(session, await loadSubagentsOf(session));
  await write(terminal.stdout, toPrintable(lines, terminal.stdout));
  return 0;
}

async function exportOne(id: string, { to, ...flags }: ExportFlags, { terminal }: Invocation): Promise<number> {
  const { toMarkdown } = await import('../../coder/session/markdown.ts');
  const session = await loadNamed(id, flags, terminal);
  await tellProblems(session, terminal);
  const document = toMarkdown(session, await loadSubagentsOf(session));
  if (to === undefined) await write(terminal.stdout, toPrintable(document, terminal.stdout));
  else await writeDocument(resolve(terminal.cwd, to), document);
  return 0;
}

async function fork(id: string, flags: FolderFlags, { terminal }: Invocation): Promise<number> {
  const { forkSession } = await import('../../coder/session/fork.ts');
  const session = await loadNamed(id, flags, terminal);
  await tellProblems(session, terminal);
  const forked = await forkSession(folderOf(flags, terminal), session);
  await write(terminal.stdout, `${forked}\n`);
  await write(terminal.stderr, `Continue with: forgeflare --resume ${forked}\n`);
  return 0;
}

function folderOf({ cwd }: FolderFlags, terminal: Terminal): string {
  return resolve(terminal.cwd, cwd ?? '.');
}

async function loadNamed(id: string, flags: FolderFlags, terminal: Terminal): Promise<LoadedSession> {
  const { loadLatestSession, loadSession } = await import('../../coder/session/store.ts');
  const folder = folderOf(flags, terminal);
  return id === 'last' ? loadLatestSession(folder) : loadSession(folder, id);
}

async function loadSubagentsOf({ path }: LoadedSession): Promise<SubagentTranscript[]> {
  const { loadSubagents } = await import('../../coder/session/subagent-transcript.ts');
  return loadSubagents(path);
}

async function tellProblems({ problems }: LoadedSession, { stderr, program = 'forgeflare' }: Terminal): Promise<void> {
  for (const problem of problems) await write(stderr, `${program}: ${problem}\n`);
}

async function writeDocument(path: string, document: string): Promise<void> {
  await writeFile(path, document).catch((error: NodeJS.ErrnoException) => {
    const problem = `--to: cannot write ${path} (${error.code ?? error.message})`;
    throw new SimpleAgentsError('bad-request', problem, { cause: error, field: 'to' });
  });
}

const longestPrompt = 60;

const columns: readonly Column<SessionSummary>[] = [
  { title: 'SESSION', cell: ({ id }) => id },
  { title: 'LAST USED', cell: ({ updatedAt }) => toMinute(updatedAt) },
  { title: 'MESSAGES', cell: ({ messages }) => String(messages), dispensable: 1 },
  { title: 'FIRST PROMPT', cell: ({ prompt }) => toLine(prompt), dispensable: 2 },
];

function toText(sessions: readonly SessionSummary[], { stdout }: Terminal): string {
  if (sessions.length === 0) return 'There are no sessions in this folder yet.\n';
  return toPrintable(formatTable(sessions, columns, widthOf(stdout)), stdout);
}

function toJson(sessions: readonly SessionSummary[]): string {
  return `${JSON.stringify({ sessions }, undefined, 2)}\n`;
}

function toMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function toLine(prompt: string): string {
  const line = Array.from(prompt.replaceAll(/\s+/g, ' ').trim());
  return line.length > longestPrompt ? `${line.slice(0, longestPrompt - 1).join('')}…` : line.join('');
}
