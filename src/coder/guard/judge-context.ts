// What a program's judge can use: the arguments, the input, the state of the shell, and functions that judge further
// commands. Types only: the walker implements them, so that judges do not depend on the walker.

import type { ShellField } from './field.ts';
import type { PathKind } from './path-kind.ts';
import type { Shell } from './shell.ts';
import type { Finding, FindingClass } from './verdict.ts';

/** The output of a program, as far as it is known. */
export type Output = ShellField;

export interface JudgeContext {
  readonly shell: Shell;
  /** The program's standard input; undefined if nothing is piped or redirected to it. */
  readonly input: ShellField | undefined;
  /** Whether the arguments are already being searched for commands. */
  readonly isSearched: boolean;
  report(verdict: Finding['verdict'], findingClass: FindingClass, reason: string): void;
  /** Judges a text that a shell runs. Unknown code is refused, or needs permission if it was downloaded. */
  script(code: ShellField, reason: string): Output;
  /** Judges words that are run as a command. */
  command(words: readonly ShellField[]): Output;
  /** The finding about a text or a command, without reporting it or changing the shell state. */
  findingOf(code: string | readonly ShellField[]): Finding | undefined;
  kindOf(field: ShellField): PathKind;
}

export interface JudgedCall {
  /** The program name without its folder. */
  readonly name: string;
  readonly args: readonly ShellField[];
}

/** Reports findings and returns the program's output, or undefined if it is unknown. */
export type Judge = (call: JudgedCall, context: JudgeContext) => Output | void;
