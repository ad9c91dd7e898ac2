// Programs that only display, sort or transform text. They never run their arguments, except for a few options and the
// languages of sed and awk. Their output is computed where that is simple.

import { judgeAction } from '../action.ts';
import {
  emptyField,
  joined,
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
  type Unknown,
} from '../field.ts';
import { Options } from '../options.ts';
import { normalise, pathOf } from '../path-kind.ts';
import type { Judge, Output, JudgeContext } from '../judge-context.ts';
import { judgeCode } from './code.ts';
import { judgeHelper } from './files.ts';
import { readSed } from './sed.ts';

const endless: Unknown = { kind: 'unknown', origin: 'endless' };

const echo: Judge = ({ args }) => {
  const words = args.filter((each, index) => index > 0 || !/^-[neE]+$/.test(shownOf(each)));
  const isEscaped = /^-\w*e/.test(shownOf(args[0] ?? emptyField));
  const text = spaced(words);
  const output = isEscaped
    ? text.map((piece) => (piece.kind === 'text' ? { ...piece, text: unescaped(piece.text) } : piece))
    : text;
  return joined([...output, ...textField('\n')]);
};

const print: Judge = ({ args }, context) => {
  const options = new Options(args, { short: 'v', stopsAtOperand: true });
  const [format = emptyField, ...values] = options.operands;
  const output = formatted(format, values);
  for (const name of options.valuesOf('-v')) {
    if (/\[/.test(shownOf(name))) context.script(textField(`: "${shownOf(name)}"`), 'printf -v');
    context.shell.assign(shownOf(name), [output]);
  }
  return output;
};

/** Each `%s` or similar takes one value, and the format is reused while values are left. */
function formatted(format: ShellField, values: readonly ShellField[]): Output {
  const text = literalOf(format);
  if (text === undefined) return [wild];
  const output: ShellField[] = [];
  const queue = [...values];
  do {
    for (const part of text.split(/(%%|%[-+ #0-9.*]*[a-zA-Z])/)) {
      if (part === '%%') output.push(textField('%'));
      else if (/^%.*[sb]$/.test(part)) output.push(plain(queue.shift() ?? emptyField, part.endsWith('b')));
      else if (part.startsWith('%')) {
        queue.shift();
        output.push(/[diouxXfgeE]$/.test(part) ? numberField : [wild]);
      } else output.push(textField(unescaped(part)));
    }
  } while (queue.length > 0 && /%[^%]/.test(text) && output.length < 500);
  return joined(output.flat());
}

function plain(field: ShellField, isEscaped: boolean): ShellField {
  return isEscaped
    ? field.map((piece) => (piece.kind === 'text' ? { ...piece, text: unescaped(piece.text) } : piece))
    : field;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '',
  b: '',
  f: '',
  v: '',
  e: '',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|0?[0-7]{1,3}|.)/gs,
    (whole, code: string) => {
      if (/^[xuU]/.test(code)) return toCharacter(Number.parseInt(code.slice(1), 16));
      if (/^[0-7]/.test(code)) return toCharacter(Number.parseInt(code, 8));
      return escapes[code] ?? whole;
    },
  );
}

function toCharacter(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const concatenate: Judge = ({ name, args }, context) => {
  const { operands } = new Options(args, { short: name === 'head' || name === 'tail' ? 'nc' : '' });
  if (operands.length === 0) return name === 'cat' ? context.input : filtered(context.input);
  const contents = operands.map((operand) => contentOf(operand, context));
  return joined(contents.flat());
};

function contentOf(file: ShellField, context: JudgeContext): ShellField {
  const [piece] = file;
  if (piece?.kind === 'unknown' && piece.content !== undefined) return piece.content;
  if (shownOf(file) === '-') return context.input ?? emptyField;
  const path = pathOf(file, context.shell);
  if (/^\/dev\/(zero|u?random|full)$/.test(path ?? '')) return [endless];
  return (path === undefined ? undefined : context.shell.files.get(path)) ?? [wild];
}

/** The output of a filter is unknown, and as trusted as its input. */
function filtered(input: ShellField | undefined): Output {
  const origin = input === undefined ? undefined : originOf(input);
  return [origin === undefined || origin === 'number' || origin === 'environment' ? wild : { kind: 'unknown', origin }];
}

const filter: Judge = (_call, context) => filtered(context.input);

const grep: Judge = ({ args }, context) => {
  const options = new Options(args, { short: 'efABCmd' });
  return options.has('-l', '-L', '--files-with-matches', '--files-without-match') ? [tame] : filtered(context.input);
};

const directory: Judge = ({ args }) => {
  const path = literalOf(new Options(args).operands[0] ?? emptyField);
  if (path === undefined) return [tame];
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return textField(path === '' ? '.' : '/');
  const slash = trimmed.lastIndexOf('/');
  return textField(slash === -1 ? '.' : slash === 0 ? '/' : trimmed.slice(0, slash));
};

const base: Judge = ({ args }) => {
  const path = literalOf(new Options(args, { short: 's' }).operands[0] ?? emptyField);
  if (path === undefined) return [tame];
  return textField(normalise(`/${path}`).split('/').at(-1) || '/');
};

const resolve: Judge = ({ args }, context) => {
  const [operand = emptyField] = new Options(args, { short: 'm' }).operands;
  const path = pathOf(operand, context.shell);
  return path === undefined ? [originOf(operand) === 'wild' ? wild : tame] : textField(path);
};

const here: Judge = (_call, { shell }) => (literalOf(shell.cwd) === undefined ? [tame] : shell.cwd);

const sed: Judge = ({ args }, context) => {
  const options = new Options(args, { short: 'efl', long: ['--expression', '--file', '--line-length'] });
  const expressions = options.valuesOf('-e', '--expression');
  const operands = [...options.operands];
  const script = expressions.length > 0 || options.has('-f', '--file') ? undefined : operands.shift();
  for (const code of script === undefined ? expressions : [script]) judgeSed(shownOf(code), context);
  const isInPlace = options.has('-i', '--in-place') || args.some((each) => /^-[nErsuz]*i/.test(shownOf(each)));
  for (const file of operands) judgeAction(isInPlace ? 'write' : 'read', file, context);
  return filtered(context.input);
};

function judgeSed(code: string, context: JudgeContext): void {
  const { commands, files, isExecuted } = readSed(code);
  for (const command of commands) context.script(textField(command), 'sed e');
  for (const file of files) judgeAction('write', textField(file), context);
  if (isExecuted) context.report('refuse', 'hidden-execution', 'sed: runs what it reads as commands');
}

const awk: Judge = ({ args }, context) => {
  const options = new Options(args, {
    short: 'fFvei',
    long: ['--file', '--assign', '--field-separator', '--source', '--include', '--load'],
  });
  const sources = options.valuesOf('-e', '--source');
  const operands = [...options.operands];
  if (sources.length === 0 && !options.has('-f', '--file')) sources.push(operands.shift() ?? emptyField);
  for (const code of sources) judgeCode('awk', code, context);
  for (const file of operands) judgeAction('read', file, context);
  return filtered(context.input);
};

const manual: Judge = ({ args }, context) => {
  const options = new Options(args, { short: 'PHp', long: ['--pager', '--html'] });
  for (const code of options.valuesOf('-P', '-H', '--pager', '--html'))
    if (shownOf(code) !== 'cat') judgeHelper(code, 'man', context);
};

/** The path of the program itself, because a copy of it is the same program. */
const which: Judge = ({ args }) => {
  const [name = emptyField] = new Options(args).operands;
  return literalOf(name) === undefined ? [tame] : joined([...textField('/usr/bin/'), ...name]);
};

/** Editor commands given as arguments; `!` starts a shell command. */
const editor: Judge = ({ name, args }, context) => {
  const options = new Options(args, { short: 'cSu', long: ['--cmd'] });
  const commands = [...options.valuesOf('-c', '--cmd'), ...args.filter((each) => shownOf(each).startsWith('+'))].map(
    shownOf,
  );
  for (const command of commands) {
    const [, code] = /!(.*)$/s.exec(command) ?? [];
    if (code !== undefined) context.script(textField(code), name);
    else if (/system\(|term|lua|py/.test(command))
      context.report('ask', 'hidden-execution', `${name}: runs ${command}`);
  }
};

/** `+!command` runs the command. */
const pager: Judge = ({ name, args }, context) => {
  for (const each of args) {
    const [mark = ''] = /^\+{1,2}[!|#]/.exec(prefixOf(each)) ?? [];
    if (mark !== '') context.script(withoutPrefix(each, mark.length), name);
  }
};

/** The BSD-style option `e` shows the environment of every process. */
const processes: Judge = ({ args }, context) => {
  const { operands } = new Options(args, { short: 'oOuUCpgGtqsk', long: ['--format', '--user', '--sort', '--pid'] });
  if (
    operands.some((each) => /^[a-zA-Z]*e[a-zA-Z]*$/.test(shownOf(each))) ||
    args.some((each) => shownOf(each) === '-E')
  )
    context.report('ask', 'secrets', 'ps e: prints the environment of processes');
};

const variables: Judge = ({ name, args }, context) => {
  const names = new Options(args).operands.map(shownOf);
  if (names.length === 0) context.report('ask', 'secrets', `${name}: prints the whole environment`);
  for (const each of names)
    if (/key|token|secret|passw|credential/i.test(each))
      context.report('ask', 'secrets', `${name} ${each}: prints a secret`);
};

const date: Judge = ({ args }, context) => {
  for (const file of new Options(args, { short: 'fdr', long: ['--file'] }).valuesOf('-f', '--file'))
    judgeAction('read', file, context);
  return [tame];
};

const inert =
  'ls dir df du file stat wc cmp diff diff3 sdiff comm nl od hexdump strings fold fmt pr expand unexpand md5sum sha1sum sha256sum sha512sum cksum b2sum lsblk lsof lscpu free uptime top htop pgrep id groups who w last true false : sleep wait jobs type tput clear cal look column jq yq xq gron bat info apropos whatis help times ulimit umask dircolors locale tty arch lsb_release ss netstat pstree vmstat iostat nano code open xdg-open';
const filters =
  'cut tr rev tac paste join iconv base64 base32 xxd gunzip zcat gzip bzip2 xz zstd shuf openssl uudecode basenc dos2unix';
const tameNames = 'whoami hostname uname nproc mktemp seq tsort factor expr logname getconf pwgen uuidgen';

const named = (names: string, judge: Judge): Record<string, Judge> =>
  Object.fromEntries(names.split(' ').map((name) => [name, judge]));

/** Programs whose output is meant for `eval` and only sets variables. */
const settingUp: Judge = ({ args }) =>
  args.some((each) => /^(-s|hook|env|init|shellenv|activate|shell|-)$/.test(shownOf(each))) ? emptyField : undefined;

export const textPrograms: Readonly<Record<string, Judge>> = {
  ...named(inert, () => undefined),
  ...named(filters, filter),
  ...named('grep egrep fgrep zgrep', grep),
  ...named(tameNames, () => [tame]),
  ...named('ssh-agent brew starship zoxide thefuck', settingUp),
  echo,
  printf: print,
  cat: concatenate,
  head: concatenate,
  tail: concatenate,
  yes: () => [endless],
  dirname: directory,
  basename: base,
  realpath: resolve,
  readlink: resolve,
  pwd: here,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  man: manual,
  which,
  ...named('vi vim nvim view', editor),
  ...named('less more most', pager),
  ps: processes,
  printenv: variables,
  date,
};
