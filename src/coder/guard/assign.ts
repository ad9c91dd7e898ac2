// Expands the words and assignments of a simple command: all possible argument lists, and the resulting variables.

import type { Assignment, Word } from 'unbash';
import { expandWord, type Arguments, type Expansion } from './expand.ts';
import { emptyField, joined, textField, wild, type ShellField } from './field.ts';
import type { Output, JudgeContext } from './judge-context.ts';
import type { Shell } from './shell.ts';
import { judgeVariable } from './variable-table.ts';

export interface WordScope {
  readonly shell: Shell;
  readonly context: JudgeContext;
  readonly expansion: Expansion;
}

const mostAlternatives = 64;

export function alternativesOf(words: readonly (Word | Assignment)[], scope: WordScope): readonly Arguments[] {
  let alternatives: ShellField[][] = [[]];
  for (const word of words) {
    const made = word.type === 'Word' ? expandWord(word, scope.expansion) : assignmentWord(word, scope);
    const next = alternatives.length * made.length > mostAlternatives ? [[[wild]]] : made;
    const [only] = next;
    // In place if there is only one alternative, because copying would take quadratic time for long commands.
    if (next.length === 1 && only !== undefined) for (const each of alternatives) each.push(...only);
    else alternatives = alternatives.flatMap((before) => next.map((fields) => [...before, ...fields]));
  }
  return alternatives;
}

/** `export NAME=value`: the assignment is made, and the program sees it as an argument. */
function assignmentWord(assignment: Assignment, scope: WordScope): readonly Arguments[] {
  assign(assignment, scope);
  const value = scope.shell.variables.get(assignment.name) ?? [[]];
  return value.slice(0, 8).map(([field = emptyField]) => [joined([...textField(`${assignment.name}=`), ...field])]);
}

export function assign({ name, value, index, append }: Assignment, scope: WordScope): void {
  const { shell, context, expansion } = scope;
  if (index !== undefined) expansion.single(index);
  if (value.type === 'ArrayValue') {
    const elements = alternativesOf(value.elements, scope);
    if (append === true) shell.append(name, elements[0] ?? [], true);
    else shell.assignAll(name, elements);
    return;
  }
  const fields = expansion.single(value);
  for (const field of fields) judgeVariable(name, field, context);
  if (index !== undefined) shell.append(name, [fields[0] ?? emptyField], true);
  else if (append === true) shell.append(name, [fields[0] ?? emptyField], false);
  else
    shell.assignAll(
      name,
      fields.map((field) => [field]),
    );
}

/** Assignments before a command apply only while it runs. */
export function withAssignments(assignments: readonly Assignment[], scope: WordScope, run: () => Output): Output {
  if (assignments.length === 0) return run();
  const { variables } = scope.shell;
  const before = assignments.map(({ name }) => ({ name, value: variables.get(name) }));
  for (const each of assignments) assign(each, scope);
  const output = run();
  for (const { name, value } of before) {
    if (value === undefined) variables.delete(name);
    else variables.set(name, value);
  }
  return output;
}
