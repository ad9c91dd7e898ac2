// What a person is asked in the middle of the work: whether a call may run, whether hooks may be trusted. What stands in
// a question is written by a model or a repository, so nothing in it may deceive the eye.

import type { HookTable } from '../../agent/hooks/hook.ts';
import type { PermissionQuestion, PermissionReply } from '../../agent/permission/permission.ts';
import { isRecord } from '../../core/json.ts';
import type { Paint } from '../terminal.ts';
import type { Asker } from './assemble.ts';
import { describeBusy, type BusyChoice } from './resume.ts';
import { isWhole, paintDiffLine, toSafeLine, toSafeText } from './tool-lines.ts';

export interface QuestionDesk {
  readonly paint: Paint;
  tell(line: string): Promise<void>;
  /** When everything before the question about this call has been shown. */
  reached(id: string): Promise<void>;
  /** Nothing when the person stops or leaves. */
  question(text: string): Promise<string | undefined>;
}

const mostLines = 30;

export function createAsker(desk: QuestionDesk): Asker {
  return {
    async permission(asked) {
      await desk.reached(asked.id);
      for (const line of describeQuestion(asked, desk.paint)) await desk.tell(line);
      const choices = '  Allow it? y = once, a = always here, n = no: ';
      return (await choose(desk, choices, replies)) ?? 'no';
    },
    async trust(table) {
      for (const line of describeHooks(table)) await desk.tell(line);
      const choices = 'Trust these hooks? y = yes, until they change, n = run without them: ';
      return (await choose(desk, choices, { y: true, yes: true, n: false, no: false })) ?? false;
    },
    async busy(session) {
      await desk.tell(`${toSafeText(describeBusy(session))}.`);
      return choose(desk, 'f = go on in a copy of it, w = wait until it is free, n = neither: ', busyChoices);
    },
  };
}

const replies: Readonly<Record<string, PermissionReply>> = {
  y: 'once',
  yes: 'once',
  a: 'always',
  always: 'always',
  n: 'no',
  no: 'no',
};

const busyChoices: Readonly<Record<string, BusyChoice | undefined>> = {
  f: 'fork',
  fork: 'fork',
  w: 'wait',
  wait: 'wait',
  n: undefined,
  no: undefined,
};

/** Asks until one of the words is said. */
async function choose<T>(desk: QuestionDesk, text: string, words: Readonly<Record<string, T>>): Promise<T | undefined> {
  for (;;) {
    const said = await desk.question(desk.paint('yellow', text));
    if (said === undefined) return undefined;
    const word = said.trim().toLowerCase();
    if (Object.hasOwn(words, word)) return words[word];
  }
}

/** The line of the call stands above it already. */
export function describeQuestion({ input, reason }: PermissionQuestion, paint: Paint): string[] {
  const headline = `  ${paint('yellow', `? ${toSafeLine(reason)}`)}`;
  return [...bound(detailsOf(input, paint)).map((line) => `  ${line}`), headline];
}

function detailsOf(input: unknown, paint: Paint): string[] {
  if (!isRecord(input)) return [];
  const { command, content, 'old_str': before, 'new_str': after } = input;
  if (typeof command === 'string') return isWhole(command) ? [] : linesOf(command);
  const removed = linesOf(before).map((line) => paintDiffLine(`- ${line}`, paint));
  const added = linesOf(after ?? content).map((line) => paintDiffLine(`+ ${line}`, paint));
  return [...removed, ...added];
}

function linesOf(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? toSafeText(value).split('\n') : [];
}

function bound(lines: readonly string[]): string[] {
  const left = lines.length - mostLines;
  return left > 0 ? [...lines.slice(0, mostLines), `… ${left} more lines`] : [...lines];
}

function describeHooks({ file, hooks }: HookTable): string[] {
  const lines = hooks.map(({ event, command }) => `  ${event}: ${toSafeText(command).replaceAll('\n', ' ↵ ')}`);
  return [`This repository has hooks (${toSafeText(file)}). They run with your rights:`, ...lines];
}
