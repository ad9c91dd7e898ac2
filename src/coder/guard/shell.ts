// The state of the shell as far as it is known while a command is read from front to end: variables, functions, where
// it stands, and what the command itself has written and linked so far.

import type { Function as FunctionNode } from 'unbash';
import { emptyField, textField, type ShellField } from './field.ts';

/** The elements; a variable that is no array has one. */
export type Value = readonly ShellField[];

/** Values it may have: several after a condition or in a loop. */
export type ValueAlternatives = readonly Value[];

export interface GuardFolders {
  /** Where the command starts: the workspace. Absolute. */
  readonly cwd: string;
  readonly home: string;
}

const mostAlternatives = 16;
/** Longer values are unknown, or a few doublings would fill the memory. */
const longestValue = 8_000;

export class Shell {
  readonly folders: GuardFolders;
  readonly variables: Map<string, ValueAlternatives>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  /** What files hold that the command wrote before, by absolute path. */
  readonly files: Map<string, ShellField>;
  /** Links the command made, from absolute path to absolute path. */
  readonly links: Map<string, string>;
  /** Programs under another name, from absolute path to absolute path. */
  readonly programs: Map<string, string>;
  positional: readonly ShellField[] = [];
  cwd: ShellField;
  /** Whether what happens now may also not happen. */
  isConditional = false;
  /** Grows with every change of a variable, to see when a loop has settled. */
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

  /** What a subshell changes is gone when it ends, except files and, on the safe side, functions. */
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
