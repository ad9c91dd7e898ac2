// What the judges of programs work with: the command's arguments, its input, the shell it runs in, and ways to have
// further commands judged. Types only: the walker provides it, so that programs need not know the walker.

import type { ShellField } from './field.ts';
import type { PathKind } from './path-kind.ts';
import type { Shell } from './shell.ts';
import type { Finding, FindingClass } from './verdict.ts';

/** What a program prints, as far as it is known. */
export type Output = ShellField;

export interface JudgeContext {
  readonly shell: Shell;
  /** What the program reads; undefined when nothing is piped or redirected to it. */
  readonly input: ShellField | undefined;
  /** Whether every ending of the words is judged anyhow, so that it need not be done again. */
  readonly isSearched: boolean;
  report(verdict: Finding['verdict'], findingClass: FindingClass, reason: string): void;
  /** A text that a shell runs. What is unknown in it is refused, or asked about when it was downloaded. */
  script(code: ShellField, reason: string): Output;
  /** Words that are run as a command. */
  command(words: readonly ShellField[]): Output;
  /** The finding on a text or a command, without reporting it; nothing it does is remembered. */
  findingOf(code: string | readonly ShellField[]): Finding | undefined;
  kindOf(field: ShellField): PathKind;
}

export interface JudgedCall {
  /** The name, without folders. */
  readonly name: string;
  readonly args: readonly ShellField[];
}

/** Reports what is wrong; gives what the program prints, or nothing when that is unknown. */
export type Judge = (call: JudgedCall, context: JudgeContext) => Output | void;
