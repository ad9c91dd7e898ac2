// Questions to the user during a run: whether a call may run, whether to trust hooks, what to do about a session in use. The
// content comes from a model or a repository, so nothing in it may be hidden: every character is visible, and content that
// does not fit on the screen can be paged through.

import type { AgentTable } from '../../coder/agents/agent-definition.ts';
import type { HookTable } from '../../coder/hooks/hook.ts';
import { trustNouns } from '../../coder/hooks/trust.ts';
import type { McpTable } from '../../coder/mcp/load.ts';
import { isHttpServer, type McpServerSettings } from '../../mcp/settings.ts';
import type { Grant } from '../../coder/permission/grant.ts';
import type { PermissionQuestion, PermissionReply } from '../../coder/permission/permission.ts';
import type { Paint, TerminalOutput } from '../terminal/terminal.ts';
import type { UserQuestions } from '../../coder/assemble.ts';
import { toRows } from './question-rows.ts';
import { describeBusy, type BusyChoice } from '../../coder/session/resume.ts';
import { cut, isWhole } from './tool-lines.ts';
import { toVisibleText } from './visible-text.ts';

export interface QuestionView {
  readonly paint: Paint;
  /** The screen of the question. Its size may change at any time. */
  readonly screen: Pick<TerminalOutput, 'columns' | 'rows'>;
  /** Whether the line of a call is shown above the question about it. */
  readonly showsCalls: boolean;
  tell(line: string): Promise<void>;
  /** Resolves when everything before the question about this call has been shown. */
  reached(id: string): Promise<void>;
  /** Shows nothing else while the user is asked. */
  whileAsking<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves to undefined if the user stops or leaves. */
  question(text: string): Promise<string | undefined>;
}

/** The number of rows that are shown with the question. */
const mostRows = 30;
const tailRows = 8;
const longestTask = 80;

export function createUserQuestions(view: QuestionView): UserQuestions {
  return {
    async permission(asked) {
      await view.reached(asked.id);
      return view.whileAsking(async () => {
        const rows = rowsOf(asked, view);
        for (const line of describeQuestion(asked, rows, view.paint)) await view.tell(line);
        return (await askPermission(asked, rows, view)) ?? 'no';
      });
    },
    async trust(table) {
      for (const line of describeTrust(table)) await view.tell(line);
      const choices = `Trust these ${trustNouns[table.kind]}? y = yes, until they change; n = run without them: `;
      return (await choose(view, choices, { y: true, yes: true, n: false, no: false })) ?? false;
    },
    async busy(session) {
      await view.tell(`${toVisibleText(describeBusy(session))}.`);
      return choose(view, 'f = continue in a copy, w = wait until it is free, n = neither: ', busyChoices);
    },
  };
}

type PermissionChoice = PermissionReply | 'view';

const replies: Readonly<Record<string, PermissionChoice>> = {
  y: 'once',
  yes: 'once',
  a: 'always',
  always: 'always',
  n: 'no',
  no: 'no',
  v: 'view',
  view: 'view',
};

const busyChoices: Readonly<Record<string, BusyChoice | undefined>> = {
  f: 'fork',
  fork: 'fork',
  w: 'wait',
  wait: 'wait',
  n: undefined,
  no: undefined,
};

async function askPermission(
  { grant }: PermissionQuestion,
  rows: readonly string[],
  view: QuestionView,
): Promise<PermissionReply | undefined> {
  const viewHint = rows.length > mostRows ? `, v = view all ${rows.length} lines` : '';
  const choices = `  Allow it? y = once, a = ${describeAlways(grant)}, n = no${viewHint}: `;
  for (;;) {
    const choice = await choose(view, choices, replies);
    if (choice !== 'view') return choice;
    if (!(await page(rows, view))) return undefined;
  }
}

function describeAlways(grant: Grant): string {
  if (grant.kind === 'edit') return 'always (every file change)';
  return grant.kind === 'command' ? 'always (this command)' : 'always (this tool)';
}

/** Asks until one of the words is typed. */
async function choose<T>(view: QuestionView, text: string, words: Readonly<Record<string, T>>): Promise<T | undefined> {
  for (;;) {
    const reply = await view.question(view.paint('yellow', text));
    if (reply === undefined) return undefined;
    const word = reply.trim().toLowerCase();
    if (Object.hasOwn(words, word)) return words[word];
  }
}

/** Shows all rows page by page. Resolves to false if the user stops or leaves. */
async function page(rows: readonly string[], view: QuestionView): Promise<boolean> {
  const size = Math.max(5, (view.screen.rows ?? 24) - 2);
  for (let from = 0; from < rows.length;) {
    const to = Math.min(rows.length, from + size);
    for (const row of rows.slice(from, to)) await view.tell(row);
    if (to === rows.length) return true;
    const text = `  Lines ${from + 1} to ${to} of ${rows.length}. Enter = more, b = back, q = back to the question: `;
    const reply = (await view.question(view.paint('yellow', text)))?.trim().toLowerCase();
    if (reply === undefined) return false;
    if (reply === 'q') return true;
    from = reply === 'b' ? Math.max(0, from - size) : to;
  }
  return true;
}

/** Empty if the line of the call above already shows the complete command. */
function rowsOf(asked: PermissionQuestion, { paint, screen, showsCalls }: QuestionView): string[] {
  // Lines of other subagents may be between the line of the call and the question.
  const isAbove = showsCalls && asked.subagent === undefined;
  const isShown = isAbove && asked.grant.kind === 'command' && isWhole(asked.grant.command);
  return isShown ? [] : toRows(asked, { paint, columns: screen.columns ?? 80 });
}

function describeQuestion(
  { name, reason, preview, subagent }: PermissionQuestion,
  rows: readonly string[],
  paint: Paint,
): string[] {
  const what = preview === undefined ? reason : preview.title;
  const caller = subagent === undefined ? '' : ` (subagent ${subagent.name}: ${oneLine(subagent.task)})`;
  return [...shorten(rows, paint), `  ${paint('yellow', toVisibleText(`? ${name}${caller}: ${what}`))}`];
}

function oneLine(text: string): string {
  return cut(text.replaceAll(/\s+/g, ' ').trim(), longestTask);
}

/** Keeps head and tail, because the end of a long command matters as much as its beginning. */
function shorten(rows: readonly string[], paint: Paint): string[] {
  if (rows.length <= mostRows) return [...rows];
  const left = rows.length - mostRows;
  const gap = `  ${paint('yellow', `… ${left} lines not shown; v shows all …`)}`;
  return [...rows.slice(0, mostRows - tailRows), gap, ...rows.slice(-tailRows)];
}

function describeTrust(table: HookTable | AgentTable | McpTable): string[] {
  if (table.kind === 'hooks') return describeHooks(table);
  return table.kind === 'agents' ? describeAgents(table) : describeServers(table);
}

/** The complete settings, because a variable or a header may matter as much as the command. */
function describeServers({ file, servers }: McpTable): string[] {
  const lines = Object.entries(servers).map(([name, settings]) => `  ${toVisibleText(describeServer(name, settings))}`);
  return [
    `This repository has MCP servers (${toVisibleText(file)}). They run with your rights, outside of the sandbox:`,
    ...lines,
  ];
}

function toPairs(values: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(values).map(([key, value]) => `${key}=${value}`);
}

function describeServer(name: string, settings: McpServerSettings): string {
  const parts = isHttpServer(settings)
    ? [settings.url, ...toPairs(settings.headers)]
    : [...toPairs(settings.env), settings.command, ...(settings.args ?? [])];
  const place = 'cwd' in settings && settings.cwd !== undefined ? ` (in ${settings.cwd})` : '';
  return `${name}: ${parts.join(' ').replaceAll('\n', ' ↵ ')}${place}`;
}

function describeHooks({ file, hooks }: HookTable): string[] {
  const lines = hooks.map(({ event, command }) => `  ${event}: ${toVisibleText(command.replaceAll('\n', ' ↵ '))}`);
  return [`This repository has hooks (${toVisibleText(file)}). They run with your rights:`, ...lines];
}

function describeAgents({ file, agents }: AgentTable): string[] {
  const lines = agents.map(({ name, description, tools, model }) => {
    const rights = `tools: ${tools?.join(', ') ?? 'all'}${model === undefined ? '' : `; model: ${model}`}`;
    return `  ${toVisibleText(`${name} (${rights}): ${description}`)}`;
  });
  return [`This repository has agents (${toVisibleText(file)}). Their prompts direct the model:`, ...lines];
}
