// Detects endless loops that start background processes without waiting: `while true; do x & done`. It looks only at the
// syntax tree.

import type { ArithmeticFor, CommandNode, PipelineNode, Statement, While } from 'unbash';

export function startsWithoutEnd(loop: While | ArithmeticFor): boolean {
  return isEndless(loop) && isAllInBackground(loop.body.commands);
}

function isEndless(loop: While | ArithmeticFor): boolean {
  if (loop.type === 'ArithmeticFor') return loop.test === undefined;
  const [only, ...more] = loop.clause.commands;
  if (only === undefined || more.length > 0) return false;
  const { command } = only;
  if (command.type === 'ArithmeticCommand') {
    return loop.kind === 'while' && command.expression?.type === 'ArithmeticWord' && command.expression.value === '1';
  }
  if (loop.kind === 'until') return nameOf(command) === 'false';
  return ['true', ':'].includes(nameOf(command) ?? '') || isConstantTest(command);
}

/** `[ 1 ]`: a word alone is true. */
function isConstantTest(command: Statement['command']): boolean {
  if (command.type !== 'Command' || !['[', 'test'].includes(nameOf(command) ?? '')) return false;
  const [word, ...more] = command.args.map(({ value }) => value).filter((value) => value !== ']');
  return more.length === 0 && typeof word === 'string' && /^\w+$/.test(word);
}

/** Every statement runs in the background or ends immediately. */
function isAllInBackground(statements: readonly Statement[]): boolean {
  const starting = statements.filter(({ background, command }) => background === true || !isBrief(command));
  return (
    starting.length > 0 &&
    starting.every(({ background, command }) => background === true || isGroupInBackground(command))
  );
}

function isGroupInBackground(command: Statement['command']): boolean {
  return (command.type === 'Subshell' || command.type === 'BraceGroup') && isAllInBackground(command.body.commands);
}

const brief = new Set(['echo', 'printf', ':', 'true', 'let', 'disown', 'export', 'shift']);

function isBrief(command: Statement['command']): boolean {
  if (command.type === 'ArithmeticCommand') return true;
  if (command.type !== 'Command') return false;
  return command.name === undefined || brief.has(command.name.value);
}

function nameOf(command: CommandNode | PipelineNode | Statement['command']): string | undefined {
  return command.type === 'Command' ? command.name?.value : undefined;
}
