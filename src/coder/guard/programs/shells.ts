// Shells, and built-in commands that run text, redefine names, or change the state of the shell.

import { judgeAction } from '../action.ts';
import {
  emptyField,
  literalOf,
  numberField,
  originOf,
  prefixOf,
  shownOf,
  spaced,
  tame,
  textField,
  wild,
  withoutPrefix,
  type ShellField,
} from '../field.ts';
import { Options } from '../options.ts';
import { pathOf } from '../path-kind.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';
import type { Shell } from '../shell.ts';
import { judgeVariable } from '../variable-table.ts';

const shell: Judge = ({ name, args }, context) => {
  const options = new Options(args, { short: 'cOo', long: ['--rcfile', '--init-file'], stopsAtOperand: true });
  for (const file of options.valuesOf('--rcfile', '--init-file')) runFile(file, name, context);
  if (options.has('--version', '--help')) return;
  const [code] = options.valuesOf('-c', '--command');
  const { operands } = options;
  return inner(context.shell, () => {
    if (code !== undefined) return runText(code, operands, name, context);
    const [file] = operands;
    if (file !== undefined && shownOf(file) !== '-') return runFile(file, name, context, operands.slice(1));
    return context.input === undefined ? undefined : runInput(context.input, name, context);
  });
};

function runText(code: ShellField, operands: readonly ShellField[], name: string, context: JudgeContext): ShellField {
  context.shell.positional = operands.slice(1);
  context.shell.variables.set('0', [[operands[0] ?? textField(name)]]);
  return context.script(code, `${name} -c`);
}

/** A script that existed before is the user's own; one that the command wrote is judged. */
function runFile(file: ShellField, name: string, context: JudgeContext, args?: readonly ShellField[]): ShellField {
  const [piece] = file;
  if (args !== undefined) context.shell.positional = args;
  if (piece?.kind === 'unknown' && piece.content !== undefined) return context.script(piece.content, name);
  const path = pathOf(file, context.shell);
  const content = path === undefined ? undefined : context.shell.files.get(path);
  if (content !== undefined) return context.script(content, `${name} ${shownOf(file)}`);
  if (context.input !== undefined && /^\/(dev\/(stdin|fd\/0)|proc\/self\/fd\/0)$/.test(path ?? ''))
    return context.script(context.input, name);
  if (originOf(file) === 'wild' || originOf(file) === 'network')
    context.report('refuse', 'unknown-code', `${name} ${shownOf(file)}: the script is unknown`);
  if (context.kindOf(file) === 'socket') context.report('refuse', 'unknown-code', `${name}: runs what it downloads`);
  return [wild];
}

/** Input from a file that existed before is treated like that file as an argument. */
function runInput(input: ShellField, name: string, context: JudgeContext): ShellField {
  const isOwnFile = input.length === 1 && input[0] === tame;
  return isOwnFile ? [wild] : context.script(input, `${name} reading from a pipe`);
}

/** A separate shell: its changes end with it. */
function inner<Result>(state: Shell, run: () => Result): Result {
  const before = { positional: state.positional, cwd: state.cwd, variables: new Map(state.variables) };
  const result = run();
  state.positional = before.positional;
  state.cwd = before.cwd;
  state.variables.clear();
  for (const [name, value] of before.variables) state.variables.set(name, value);
  return result;
}

const evaluate: Judge = ({ args }, context) =>
  context.script(spaced(args.filter((each) => literalOf(each) !== '--')), 'eval');

const source: Judge = ({ name, args }, context) => {
  const [file, ...rest] = args;
  if (file === undefined) return;
  return runFile(file, name, context, rest.length > 0 ? rest : undefined);
};

const trap: Judge = ({ args }, context) => {
  const [code, ...signals] = new Options(args).operands;
  if (code !== undefined && signals.length > 0 && shownOf(code) !== '-' && shownOf(code) !== '')
    context.script(code, 'trap');
};

const alias: Judge = ({ args }, context) => {
  for (const each of args) {
    const [name = ''] = /^[^=]+=/.exec(prefixOf(each)) ?? [];
    if (name === '') continue;
    const text = literalOf(withoutPrefix(each, name.length));
    if (text === undefined) context.report('refuse', 'unknown-code', `alias ${name} is unknown`);
    context.shell.aliases.set(name.slice(0, -1), text ?? '');
    const finding = context.findingOf(text ?? '');
    if (finding?.verdict === 'refuse') context.report('refuse', finding.class, `alias ${name} ${finding.reason}`);
  }
};

const changeFolder: Judge = ({ name, args }, context) => {
  const target =
    new Options(args).operands[0] ?? (name === 'cd' ? context.shell.variables.get('HOME')?.[0]?.[0] : undefined);
  const state = context.shell;
  if (name === 'popd' || target === undefined || shownOf(target) === '-') state.cwd = textField(state.folders.cwd);
  else {
    const path = pathOf(target, state);
    const origin = originOf(target);
    state.cwd = path !== undefined ? textField(path) : origin === 'tame' ? textField(state.folders.cwd) : target;
    if (path === undefined && prefixOf(target).startsWith('/')) state.cwd = target;
  }
  state.variables.set('PWD', [[state.cwd]]);
  return emptyField;
};

const setPositional: Judge = ({ args }, context) => {
  const dashes = args.findIndex((each) => literalOf(each) === '--');
  if (args.length === 0) context.report('ask', 'secrets', 'set: prints every variable');
  if (dashes !== -1) context.shell.positional = args.slice(dashes + 1);
  else if (args[0] !== undefined && !/^[-+]/.test(prefixOf(args[0]))) context.shell.positional = args;
};

const shift: Judge = ({ args }, { shell: state }) => {
  state.positional = state.positional.slice(Number(shownOf(args[0] ?? textField('1'))) || 1);
  return emptyField;
};

const declare: Judge = ({ name, args }, context) => {
  const options = new Options(args);
  const isBare = options.operands.length === 0 && !options.has('-f', '-F');
  if (isBare) context.report('ask', 'secrets', `${name}: prints variables`);
  for (const each of args) {
    const [assigned = ''] = /^\w+=/.exec(prefixOf(each)) ?? [];
    if (assigned === '') continue;
    const value = withoutPrefix(each, assigned.length);
    judgeVariable(assigned.slice(0, -1), value, context);
    context.shell.assign(assigned.slice(0, -1), [options.has('-n') ? [wild] : value]);
  }
  return emptyField;
};

const read: Judge = ({ name, args }, context) => {
  const options = new Options(args, { short: name === 'read' ? 'adinNptu' : 'dnOsuCc' });
  for (const code of name === 'read' ? [] : options.valuesOf('-C')) context.script(code, name);
  const names = [...options.operands, ...options.valuesOf(...(name === 'read' ? ['-a'] : []))].map(shownOf);
  const line = context.input === undefined ? undefined : literalOf(context.input)?.split('\n')[0];
  for (const variable of names.length === 0 ? ['REPLY', 'MAPFILE'] : names) {
    const origin = originOf(context.input ?? [wild]);
    const unknown: ShellField =
      origin === 'tame' && context.input?.[0] !== tame ? [tame] : [{ ...wild, name: variable }];
    context.shell.assign(variable, [line !== undefined && names.length === 1 ? textField(line) : unknown]);
  }
  return emptyField;
};

const test: Judge = ({ args }, context) => {
  for (const each of args) {
    if (/\[.*(\$\(|`)/.test(shownOf(each))) context.script(textField(`: "${shownOf(each)}"`), 'test');
  }
  return emptyField;
};

const hash: Judge = ({ args }, context) => {
  if (args.some((each) => /^-\w*p/.test(shownOf(each))))
    context.report('refuse', 'hidden-execution', 'hash -p: maps a name to another program');
};

const enable: Judge = ({ args }, context) => {
  if (new Options(args, { short: 'f' }).has('-f', '-n'))
    context.report('refuse', 'hidden-execution', 'enable: replaces a built-in command');
};

const unset: Judge = ({ args }, { shell: state }) => {
  for (const each of new Options(args).operands) {
    state.functions.delete(shownOf(each));
    state.variables.set(shownOf(each), [[emptyField]]);
  }
  return emptyField;
};

const bind: Judge = ({ name, args }, context) => {
  for (const code of new Options(args, { short: 'xCF' }).valuesOf('-x', '-C')) context.script(code, name);
};

const arithmetic: Judge = ({ args }, context) => {
  for (const each of args) {
    const [, variable] = /^(\w+)\s*[-+*/%]?=/.exec(shownOf(each)) ?? [];
    if (variable !== undefined) context.shell.assign(variable, [numberField]);
    if (/\$\(|`/.test(shownOf(each))) context.script(textField(`: "${shownOf(each)}"`), 'let');
  }
  return emptyField;
};

const history: Judge = ({ name, args }, context) => {
  for (const file of new Options(args, { short: 'anrw' }).valuesOf('-r', '-w', '-a'))
    judgeAction('write', file, context);
  context.report('ask', 'secrets', `${name}: shows or changes the command history`);
};

export const shellPrograms: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(
    'sh bash dash zsh ksh mksh ash fish rbash pwsh csh tcsh yash posh'.split(' ').map((name) => [name, shell]),
  ),
  eval: evaluate,
  source,
  '.': source,
  trap,
  alias,
  cd: changeFolder,
  pushd: changeFolder,
  popd: changeFolder,
  set: setPositional,
  shift,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  export: declare,
  read,
  mapfile: read,
  readarray: read,
  getopts: ({ args }, { shell: state }) => {
    state.assign(shownOf(args[1] ?? emptyField), [[wild]]);
    return emptyField;
  },
  test,
  '[': test,
  hash,
  enable,
  unset,
  bind,
  complete: bind,
  let: arithmetic,
  history,
  fc: history,
};
