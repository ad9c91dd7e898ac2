// What a person is asked in the middle of the work: whether a call may run, whether hooks may be trusted. What stands in
// a question was written by a model or a repository, so nothing in it may hide or deceive: every character is visible,
// and everything that does not fit can be paged through.

import type { HookTable } from '../../coder/hooks/hook.ts';
import type { Grant } from '../../coder/permission/grant.ts';
import type { PermissionQuestion, PermissionReply } from '../../coder/permission/permission.ts';
import type { Paint, TerminalOutput } from '../terminal/terminal.ts';
import type { Asker } from '../../coder/assemble.ts';
import { toRows } from './question-rows.ts';
import { describeBusy, type BusyChoice } from '../../coder/session/resume.ts';
import { isWhole } from './tool-lines.ts';
import { toVisibleText } from './visible-text.ts';

export interface QuestionDesk {
  readonly paint: Paint;
  /** Where the question appears. Its size may change at any time. */
  readonly screen: Pick<TerminalOutput, 'columns' | 'rows'>;
  /** Whether the line of a call stands above the question about it. */
  readonly showsCalls: boolean;
  tell(line: string): Promise<void>;
  /** When everything before the question about this call has been shown. */
  reached(id: string): Promise<void>;
  /** Nothing when the person stops or leaves. */
  question(text: string): Promise<string | undefined>;
}

/** Rows of a change that are shown with the question. */
const mostRows = 30;
const tailRows = 8;

export function createAsker(desk: QuestionDesk): Asker {
  return {
    async permission(asked) {
      await desk.reached(asked.id);
      const rows = rowsOf(asked, desk);
      for (const line of describeQuestion(asked, rows, desk.paint)) await desk.tell(line);
      return (await askPermission(asked, rows, desk)) ?? 'no';
    },
    async trust(table) {
      for (const line of describeHooks(table)) await desk.tell(line);
      const choices = 'Trust these hooks? y = yes, until they change, n = run without them: ';
      return (await choose(desk, choices, { y: true, yes: true, n: false, no: false })) ?? false;
    },
    async busy(session) {
      await desk.tell(`${toVisibleText(describeBusy(session))}.`);
      return choose(desk, 'f = go on in a copy of it, w = wait until it is free, n = neither: ', busyChoices);
    },
  };
}

type Choice = PermissionReply | 'view';

const replies: Readonly<Record<string, Choice>> = {
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
  desk: QuestionDesk,
): Promise<PermissionReply | undefined> {
  const view = rows.length > mostRows ? `, v = view all ${rows.length} lines` : '';
  const choices = `  Allow it? y = once, a = ${describeAlways(grant)}, n = no${view}: `;
  for (;;) {
    const choice = await choose(desk, choices, replies);
    if (choice !== 'view') return choice;
    if (!(await page(rows, desk))) return undefined;
  }
}

function describeAlways(grant: Grant): string {
  if (grant.kind === 'edit') return 'always (every file change)';
  return grant.kind === 'command' ? 'always (this command)' : 'always (this tool)';
}

/** Asks until one of the words is said. */
async function choose<T>(desk: QuestionDesk, text: string, words: Readonly<Record<string, T>>): Promise<T | undefined> {
  for (;;) {
    const said = await desk.question(desk.paint('yellow', text));
    if (said === undefined) return undefined;
    const word = said.trim().toLowerCase();
    if (Object.hasOwn(words, word)) return words[word];
  }
}

/** Screen by screen, from the first row to the last. False when the person stops or leaves. */
async function page(rows: readonly string[], desk: QuestionDesk): Promise<boolean> {
  const size = Math.max(5, (desk.screen.rows ?? 24) - 2);
  for (let from = 0; from < rows.length;) {
    const to = Math.min(rows.length, from + size);
    for (const row of rows.slice(from, to)) await desk.tell(row);
    if (to === rows.length) return true;
    const text = `  Lines ${from + 1} to ${to} of ${rows.length}. Enter = more, b = back, q = to the question: `;
    const said = (await desk.question(desk.paint('yellow', text)))?.trim().toLowerCase();
    if (said === undefined) return false;
    if (said === 'q') return true;
    from = said === 'b' ? Math.max(0, from - size) : to;
  }
  return true;
}

/** None where the line of the call above shows the whole command. */
function rowsOf(asked: PermissionQuestion, { paint, screen, showsCalls }: QuestionDesk): string[] {
  const isShown = showsCalls && asked.grant.kind === 'command' && isWhole(asked.grant.command);
  return isShown ? [] : toRows(asked, { paint, columns: screen.columns ?? 80 });
}

function describeQuestion(
  { name, reason, preview }: PermissionQuestion,
  rows: readonly string[],
  paint: Paint,
): string[] {
  const what = preview === undefined ? reason : preview.title;
  return [...shorten(rows, paint), `  ${paint('yellow', toVisibleText(`? ${name}: ${what}`))}`];
}

/** Head and tail: the end of a long command matters as much as its beginning. */
function shorten(rows: readonly string[], paint: Paint): string[] {
  if (rows.length <= mostRows) return [...rows];
  const left = rows.length - mostRows;
  const gap = `  ${paint('yellow', `… ${left} lines not shown; v shows all …`)}`;
  return [...rows.slice(0, mostRows - tailRows), gap, ...rows.slice(-tailRows)];
}

function describeHooks({ file, hooks }: HookTable): string[] {
  const lines = hooks.map(({ event, command }) => `  ${event}: ${toVisibleText(command.replaceAll('\n', ' ↵ '))}`);
  return [`This repository has hooks (${toVisibleText(file)}). They run with your rights:`, ...lines];
}
