// The known state of the shell at a point in the command: variables, functions, working directory, and the files and links
// that the command has created so far.

import type { Function as FunctionNode } from 'unbash';
import { emptyField, textField, type ShellField } from './field.ts';

/** The elements of a variable. One that is not an array has a single element. */
export type Value = readonly ShellField[];

/** The possible values: several after a condition or in a loop. */
export type ValueAlternatives = readonly Value[];

export interface GuardFolders {
  /** The workspace, in which the command starts. Absolute. */
  readonly cwd: string;
  readonly home: string;
}

const mostAlternatives = 16;
/** Longer values are unknown, because repeated doubling would fill the memory. */
const longestValue = 8_000;

export class Shell {
  readonly folders: GuardFolders;
  readonly variables: Map<string, ValueAlternatives>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  /** The content of files that the command has written, by absolute path. */
  readonly files: Map<string, ShellField>;
  /** Links that the command has created, from absolute path to absolute path. */
  readonly links: Map<string, string>;
  /** Programs that the command has linked or copied, from absolute path to absolute path. */
  readonly programs: Map<string, string>;
  positional: readonly ShellField[] = [];
  cwd: ShellField;
  /** Whether the current command may be skipped at run time. */
  isConditional = false;
  /** Counts changes of variables, to detect when a loop has converged. */
  changes = 0;

  constructor(folders: GuardFolders, origin?: Shell) {
    this.folders = folders;
    this.variables = new Map(origin?.variables ?? standardVariables(folders));
    this.functions = origin?.functions ?? new Map();
    this.aliases = origin?.aliases ?? new Map();
    this.files = origin?.files ?? new Map();
    this.links = origin?.links ?? new Map();
    this.programs = origin?.programs ?? new Map();
    this.positional = origin?.positional ?? [];
    this.cwd = origin?.cwd ?? textField(folders.cwd);
    this.isConditional = origin?.isConditional ?? false;
  }

  /** The state for a subshell. Its changes are discarded, except files and, to be safe, functions. */
  fork(): Shell {
    return new Shell(this.folders, this);
  }

  assign(name: string, value: Value): void {
    this.assignAll(name, [value]);
  }

  assignAll(name: string, values: ValueAlternatives): void {
    const known = this.variables.get(name);
    const merged = this.isConditional && known !== undefined ? union(known, values) : values;
    if (known !== undefined && merged !== known && sameAlternatives(known, merged)) return;
    this.changes += 1;
    const isTooMuch = merged.length > mostAlternatives || merged.some(isTooLong);
    this.variables.set(name, isTooMuch ? [[[{ kind: 'unknown', origin: 'wild', name }]]] : merged);
  }

  append(name: string, value: Value, isArray: boolean): void {
    const grown = (this.variables.get(name) ?? [[]]).map((elements): Value => {
      if (isArray) return [...elements, ...value];
      return [[...(elements[0] ?? emptyField), ...(value[0] ?? emptyField)], ...elements.slice(1)];
    });
    this.assignAll(name, grown);
  }
}

function standardVariables({ cwd, home }: GuardFolders): Map<string, ValueAlternatives> {
  const texts = { PWD: cwd, HOME: home, TMPDIR: '/tmp', IFS: ' \t\n', SHELL: '/bin/bash', BASH: '/bin/bash' };
  return new Map(Object.entries(texts).map(([name, text]) => [name, [[textField(text)]]]));
}

function isTooLong(value: Value): boolean {
  let length = value.length;
  for (const field of value) for (const piece of field) if (piece.kind !== 'unknown') length += piece.text.length;
  return length > longestValue;
}

function union(known: ValueAlternatives, added: ValueAlternatives): ValueAlternatives {
  const fresh = added.filter((value) => !known.some((each) => sameValue(each, value)));
  return fresh.length === 0 ? known : [...known, ...fresh];
}

function sameAlternatives(one: ValueAlternatives, other: ValueAlternatives): boolean {
  return one.length === other.length && one.every((value, index) => sameValue(value, other[index] ?? []));
}

function sameValue(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
