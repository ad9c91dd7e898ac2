// Shells, and the built-in commands that run text, change what names mean, or change the state of the shell.

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
  type Field,
} from '../field.ts';
import { Options } from '../options.ts';
import { pathOf } from '../path-kind.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';
import type { Shell } from '../shell.ts';
import { judgeVariable } from '../variable-table.ts';

const shell: Judge = ({ name, args }, scene) => {
  const options = new Options(args, { short: 'cOo', long: ['--rcfile', '--init-file'], stopsAtOperand: true });
  for (const file of options.valuesOf('--rcfile', '--init-file')) runFile(file, name, scene);
  if (options.has('--version', '--help')) return;
  const [code] = options.valuesOf('-c', '--command');
  const { operands } = options;
  return inner(scene.shell, () => {
    if (code !== undefined) return runText(code, operands, name, scene);
    const [file] = operands;
    if (file !== undefined && shownOf(file) !== '-') return runFile(file, name, scene, operands.slice(1));
    return scene.input === undefined ? undefined : runInput(scene.input, name, scene);
  });
};

function runText(code: Field, operands: readonly Field[], name: string, scene: JudgeContext): Field {
  scene.shell.positional = operands.slice(1);
  scene.shell.variables.set('0', [[operands[0] ?? textField(name)]]);
  return scene.script(code, `${name} -c`);
}

/** A file that was there before is the user's; the content of one the command wrote is judged. */
function runFile(file: Field, name: string, scene: JudgeContext, args?: readonly Field[]): Field {
  const [piece] = file;
  if (args !== undefined) scene.shell.positional = args;
  if (piece?.kind === 'unknown' && piece.content !== undefined) return scene.script(piece.content, name);
  const path = pathOf(file, scene.shell);
  const content = path === undefined ? undefined : scene.shell.files.get(path);
  if (content !== undefined) return scene.script(content, `${name} ${shownOf(file)}`);
  if (scene.input !== undefined && /^\/(dev\/(stdin|fd\/0)|proc\/self\/fd\/0)$/.test(path ?? ''))
    return scene.script(scene.input, name);
  if (originOf(file) === 'wild' || originOf(file) === 'network')
    scene.report('refuse', 'unknown-code', `${name} ${shownOf(file)}: the script cannot be known`);
  if (scene.placeOf(file) === 'socket') scene.report('refuse', 'unknown-code', `${name}: runs what it downloads`);
  return [wild];
}

/** Input from a file that was there before is like that file as an argument. */
function runInput(input: Field, name: string, scene: JudgeContext): Field {
  const isOwnFile = input.length === 1 && input[0] === tame;
  return isOwnFile ? [wild] : scene.script(input, `${name} reading from a pipe`);
}

/** A shell of its own: what it changes ends with it. */
function inner<Result>(state: Shell, run: () => Result): Result {
  const before = { positional: state.positional, cwd: state.cwd, variables: new Map(state.variables) };
  const result = run();
  state.positional = before.positional;
  state.cwd = before.cwd;
  state.variables.clear();
  for (const [name, value] of before.variables) state.variables.set(name, value);
  return result;
}

const evaluate: Judge = ({ args }, scene) =>
  scene.script(spaced(args.filter((each) => literalOf(each) !== '--')), 'eval');

const source: Judge = ({ name, args }, scene) => {
  const [file, ...rest] = args;
  if (file === undefined) return;
  return runFile(file, name, scene, rest.length > 0 ? rest : undefined);
};

const trap: Judge = ({ args }, scene) => {
  const [code, ...signals] = new Options(args).operands;
  if (code !== undefined && signals.length > 0 && shownOf(code) !== '-' && shownOf(code) !== '')
    scene.script(code, 'trap');
};

const alias: Judge = ({ args }, scene) => {
  for (const each of args) {
    const [name = ''] = /^[^=]+=/.exec(prefixOf(each)) ?? [];
    if (name === '') continue;
    const text = literalOf(withoutPrefix(each, name.length));
    if (text === undefined) scene.report('refuse', 'unknown-code', `alias ${name} cannot be known`);
    scene.shell.aliases.set(name.slice(0, -1), text ?? '');
    const finding = scene.findingOf(text ?? '');
    if (finding?.verdict === 'refuse') scene.report('refuse', finding.class, `alias ${name} ${finding.reason}`);
  }
};

const changeFolder: Judge = ({ name, args }, scene) => {
  const target =
    new Options(args).operands[0] ?? (name === 'cd' ? scene.shell.variables.get('HOME')?.[0]?.[0] : undefined);
  const state = scene.shell;
  if (name === 'popd' || target === undefined || shownOf(target) === '-') state.cwd = textField(state.surroundings.cwd);
  else {
    const path = pathOf(target, state);
    const origin = originOf(target);
    state.cwd = path !== undefined ? textField(path) : origin === 'tame' ? textField(state.surroundings.cwd) : target;
    if (path === undefined && prefixOf(target).startsWith('/')) state.cwd = target;
  }
  state.variables.set('PWD', [[state.cwd]]);
  return emptyField;
};

const setPositional: Judge = ({ args }, scene) => {
  const dashes = args.findIndex((each) => literalOf(each) === '--');
  if (args.length === 0) scene.report('ask', 'secrets', 'set: prints every variable');
  if (dashes !== -1) scene.shell.positional = args.slice(dashes + 1);
  else if (args[0] !== undefined && !/^[-+]/.test(prefixOf(args[0]))) scene.shell.positional = args;
};

const shift: Judge = ({ args }, { shell: state }) => {
  state.positional = state.positional.slice(Number(shownOf(args[0] ?? textField('1'))) || 1);
  return emptyField;
};

const declare: Judge = ({ name, args }, scene) => {
  const options = new Options(args);
  const isBare = options.operands.length === 0 && !options.has('-f', '-F');
  if (isBare) scene.report('ask', 'secrets', `${name}: prints variables`);
  for (const each of args) {
    const [assigned = ''] = /^\w+=/.exec(prefixOf(each)) ?? [];
    if (assigned === '') continue;
    const value = withoutPrefix(each, assigned.length);
    judgeVariable(assigned.slice(0, -1), value, scene);
    scene.shell.assign(assigned.slice(0, -1), [options.has('-n') ? [wild] : value]);
  }
  return emptyField;
};

const read: Judge = ({ name, args }, scene) => {
  const options = new Options(args, { short: name === 'read' ? 'adinNptu' : 'dnOsuCc' });
  for (const code of name === 'read' ? [] : options.valuesOf('-C')) scene.script(code, name);
  const names = [...options.operands, ...options.valuesOf(...(name === 'read' ? ['-a'] : []))].map(shownOf);
  const line = scene.input === undefined ? undefined : literalOf(scene.input)?.split('\n')[0];
  for (const variable of names.length === 0 ? ['REPLY', 'MAPFILE'] : names) {
    const origin = originOf(scene.input ?? [wild]);
    const unknown: Field = origin === 'tame' && scene.input?.[0] !== tame ? [tame] : [{ ...wild, name: variable }];
    scene.shell.assign(variable, [line !== undefined && names.length === 1 ? textField(line) : unknown]);
  }
  return emptyField;
};

const test: Judge = ({ args }, scene) => {
  for (const each of args) {
    if (/\[.*(\$\(|`)/.test(shownOf(each))) scene.script(textField(`: "${shownOf(each)}"`), 'test');
  }
  return emptyField;
};

const hash: Judge = ({ args }, scene) => {
  if (args.some((each) => /^-\w*p/.test(shownOf(each))))
    scene.report('refuse', 'hidden-execution', 'hash -p: gives a name another program');
};

const enable: Judge = ({ args }, scene) => {
  if (new Options(args, { short: 'f' }).has('-f', '-n'))
    scene.report('refuse', 'hidden-execution', 'enable: replaces a built-in command');
};

const unset: Judge = ({ args }, { shell: state }) => {
  for (const each of new Options(args).operands) {
    state.functions.delete(shownOf(each));
    state.variables.set(shownOf(each), [[emptyField]]);
  }
  return emptyField;
};

const bind: Judge = ({ name, args }, scene) => {
  for (const code of new Options(args, { short: 'xCF' }).valuesOf('-x', '-C')) scene.script(code, name);
};

const arithmetic: Judge = ({ args }, scene) => {
  for (const each of args) {
    const [, variable] = /^(\w+)\s*[-+*/%]?=/.exec(shownOf(each)) ?? [];
    if (variable !== undefined) scene.shell.assign(variable, [numberField]);
    if (/\$\(|`/.test(shownOf(each))) scene.script(textField(`: "${shownOf(each)}"`), 'let');
  }
  return emptyField;
};

const history: Judge = ({ name, args }, scene) => {
  for (const file of new Options(args, { short: 'anrw' }).valuesOf('-r', '-w', '-a')) judgeAction('write', file, scene);
  scene.report('ask', 'secrets', `${name}: shows or changes what was typed before`);
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
