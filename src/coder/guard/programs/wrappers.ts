// Programs that run the command in their arguments, as data: which of their options take a value, and how many operands
// precede the command. The inner command is judged like any other.

import { emptyField, literalOf, prefixOf, shownOf, textField, withoutPrefix, type ShellField } from '../field.ts';
import { Options } from '../options.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';
import { judgeVariable } from '../variable-table.ts';

interface WrapperProgram {
  readonly names: string;
  /** Letters of short options that take a value. */
  readonly short?: string;
  readonly long?: readonly string[];
  /** Operands before the command. */
  readonly skip?: number;
  /** Options whose value is a command as text. */
  readonly code?: readonly string[];
  /** Operands are commands as text, joined or separate. */
  readonly texts?: 'joined' | 'each';
  /** A word that must come first: `npm exec`, `uv run`. */
  readonly word?: RegExp;
  readonly note?: string;
}

const wrappers: readonly WrapperProgram[] = [
  {
    names:
      'nohup setsid stdbuf nice ionice chrt time gtime caffeinate fakeroot unbuffer rlwrap catchsegv proxychains torsocks tsocks ltrace eatmydata dbus-run-session xvfb-run dotenv dotenvx',
    short: 'cnpieofugtwsb',
    long: ['--adjustment', '--class', '--classdata', '--output', '--error', '--input', '--format', '--server-args'],
  },
  { names: 'timeout gtimeout', short: 'ks', long: ['--kill-after', '--signal'], skip: 1 },
  { names: 'taskset', short: 'p', skip: 1 },
  {
    names: 'sudo doas pkexec',
    short: 'ugpCcDhrRTtU',
    long: ['--user', '--group', '--prompt', '--chdir', '--host', '--role', '--type', '--other-user', '--close-from'],
    note: 'runs with the rights of another user',
  },
  { names: 'chroot', long: ['--userspec', '--groups'], skip: 1, note: 'runs in another root' },
  {
    names: 'unshare nsenter',
    short: 'tSGRwm',
    long: ['--target', '--root', '--wd', '--setuid', '--setgid', '--map-user', '--map-group'],
  },
  {
    names: 'runuser su',
    short: 'cugGs',
    long: ['--command', '--user', '--group', '--shell'],
    code: ['-c', '--command'],
    skip: 1,
    note: 'runs with the rights of another user',
  },
  {
    names: 'script',
    short: 'cIOBTEo',
    long: ['--command', '--log-in', '--log-out', '--log-io'],
    code: ['-c', '--command'],
    skip: 99,
  },
  {
    names: 'flock',
    short: 'wEc',
    long: ['--timeout', '--wait', '--command', '--conflict-exit-code'],
    code: ['-c', '--command'],
    skip: 1,
  },
  {
    names: 'systemd-run',
    short: 'puGHME',
    long: [
      '--unit',
      '--property',
      '--slice',
      '--uid',
      '--gid',
      '--setenv',
      '--working-directory',
      '--description',
      '--on-active',
      '--on-calendar',
      '--machine',
      '--host',
    ],
    note: 'runs outside the process tree',
  },
  {
    names: 'start-stop-daemon',
    short: 'xapnugdNP',
    long: ['--exec', '--startas', '--pidfile', '--chdir', '--chuid'],
    code: ['-x', '-a', '--exec', '--startas'],
    note: 'runs outside the process tree',
  },
  { names: 'strace', short: 'eopsuaEIbPSXOU', long: ['--trace', '--output', '--attach'] },
  { names: 'perf', word: /^(stat|record|trace)$/, short: 'eorpFgCc', long: ['--event', '--output', '--pid'] },
  { names: 'valgrind', long: ['--tool', '--log-file'] },
  { names: 'numactl prlimit cgexec firejail bwrap proot', short: 'Ngmpb' },
  { names: 'watch', short: 'nq', long: ['--interval'], texts: 'joined' },
  { names: 'entr', short: 'x' },
  {
    names: 'nodemon',
    short: 'xweidVC',
    long: ['--exec', '--watch', '--ext', '--ignore', '--delay', '--config'],
    code: ['-x', '--exec'],
    skip: 99,
  },
  {
    names: 'concurrently',
    short: 'nckm',
    long: ['--names', '--prefix', '--prefix-colors', '--max-processes', '--success'],
    texts: 'each',
  },
  { names: 'npx bunx pnpx', short: 'pc', long: ['--package', '--call'], code: ['-c', '--call'] },
  {
    names: 'npm pnpm yarn bun',
    word: /^(exec|x|dlx)$/,
    short: 'pcCw',
    long: ['--package', '--call', '--workspace', '--filter', '--prefix'],
    code: ['-c', '--call'],
  },
  {
    names: 'uv poetry pipenv rye hatch pdm conda mamba micromamba',
    word: /^run$/,
    short: 'npC',
    long: [
      '--with',
      '--python',
      '--extra',
      '--group',
      '--package',
      '--directory',
      '--project',
      '--env-file',
      '--name',
      '--prefix',
    ],
  },
  { names: 'bundle mise asdf direnv rbenv pyenv nodenv volta fnm', word: /^(exec|x|run)$/, short: 'nv' },
  {
    names: 'nix nix-shell devbox',
    code: ['--run', '--command', '-c'],
    short: 'pAIc',
    long: ['--run', '--command', '--packages', '--attr', '--argstr'],
    skip: 99,
  },
  {
    names: 'cargo',
    word: /^(watch|with)$/,
    short: 'xsw',
    long: ['--exec', '--shell'],
    code: ['-s', '--shell'],
    skip: 99,
  },
  {
    names: 'gdb lldb',
    code: ['-ex', '-iex', '-eval-command', '--eval-command', '-o'],
    long: ['-ex', '-iex', '-x', '-eval-command', '--eval-command', '-o'],
    skip: 99,
    note: '',
  },
  { names: 'expect', short: 'c', code: ['-c'], skip: 99 },
  {
    names: 'hyperfine',
    short: 'wmMrspcnS',
    long: [
      '--warmup',
      '--min-runs',
      '--max-runs',
      '--runs',
      '--setup',
      '--prepare',
      '--cleanup',
      '--export-json',
      '--export-markdown',
      '--shell',
    ],
    code: ['-s', '-p', '-c', '--setup', '--prepare', '--cleanup'],
    texts: 'each',
  },
];

function judgeWrapper(wrapper: WrapperProgram): Judge {
  const { short = '', long = [], skip = 0, code = [], texts, word, note } = wrapper;
  return ({ name, args }, context) => {
    const start = word === undefined ? 0 : args.findIndex((each) => word.test(shownOf(each))) + 1;
    if (word !== undefined && start === 0) return;
    const options = new Options(args.slice(start), { short, long, stopsAtOperand: true });
    for (const text of options.valuesOf(...code)) context.script(text, name);
    const words = options.operands.slice(skip);
    if (texts !== undefined) return runTexts(words, texts, context, name);
    if (words.length === 0) return runInput(context);
    if (note !== undefined)
      context.report('ask', 'hidden-execution', `${name}: ${note === '' ? 'runs other commands' : note}`);
    return runWithAssignments(words, context);
  };
}

/** Without a command some of them start a shell that reads standard input. */
function runInput(context: JudgeContext): ShellField | undefined {
  return literalOf(context.input ?? emptyField) ? context.command([textField('sh')]) : undefined;
}

function runTexts(words: readonly ShellField[], texts: 'joined' | 'each', context: JudgeContext, name: string): void {
  if (texts === 'joined')
    context.script(
      words.flatMap((word, index) => (index === 0 ? word : [...textField(' '), ...word])),
      name,
    );
  else for (const word of words) if (/\s/.test(shownOf(word))) context.script(word, name);
}

/** `NAME=value` words before the command, as env and sudo take them. */
export function runWithAssignments(words: readonly ShellField[], context: JudgeContext): ShellField {
  let start = 0;
  for (; start < words.length; start += 1) {
    const word = words[start] ?? emptyField;
    const [assigned = ''] = /^\w+=/.exec(prefixOf(word)) ?? [];
    if (assigned === '') break;
    judgeVariable(assigned.slice(0, -1), withoutPrefix(word, assigned.length), context);
  }
  return context.command(words.slice(start));
}

const environment: Judge = ({ args }, context) => {
  const options = new Options(args, {
    short: 'uCSa',
    long: ['--unset', '--chdir', '--split-string', '--argv0'],
    stopsAtOperand: true,
  });
  for (const text of options.valuesOf('-S', '--split-string')) {
    return context.script([...text, ...options.operands.flatMap((each) => [...textField(' '), ...each])], 'env -S');
  }
  const words = options.operands;
  if (words.every((word) => /^\w+=/.test(prefixOf(word)))) {
    if (!options.has('-i', '--ignore-environment', '--version', '--help'))
      context.report('ask', 'secrets', 'env: prints the whole environment');
    return;
  }
  return runWithAssignments(words, context);
};

/** A multi-call program: the first operand is the name of the actual program. */
const multicall: Judge = ({ args }, context) =>
  context.command(args.filter((each, index) => index > 0 || !prefixOf(each).startsWith('-')));

/** Built-in prefixes such as `command`: the rest is a command. */
const prefix: Judge = ({ name, args }, context) => {
  if (name === 'command' && /^-[vV]/.test(literalOf(args[0] ?? emptyField) ?? '')) return;
  const options = new Options(args, { short: name === 'exec' ? 'a' : '', stopsAtOperand: true });
  const shadowed = context.shell.functions.get(literalOf(options.operands[0] ?? emptyField) ?? '');
  if (shadowed !== undefined && name !== 'exec') context.shell.functions.delete(shadowed.name.value);
  const output = context.command(options.operands);
  if (shadowed !== undefined) context.shell.functions.set(shadowed.name.value, shadowed);
  return output;
};

function merged(): Record<string, Judge> {
  const judges: Record<string, Judge> = {};
  for (const wrapper of wrappers) for (const name of wrapper.names.split(' ')) judges[name] = judgeWrapper(wrapper);
  return judges;
}

export const wrapperPrograms: Readonly<Record<string, Judge>> = {
  ...merged(),
  env: environment,
  busybox: multicall,
  toybox: multicall,
  command: prefix,
  builtin: prefix,
  exec: prefix,
};
