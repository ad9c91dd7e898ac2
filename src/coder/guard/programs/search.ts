// find, fd, xargs and parallel: programs that run other programs on what they find or read.

import { judgeAction } from '../action.ts';
import {
  emptyField,
  joined,
  literalOf,
  originOf,
  prefixOf,
  shownOf,
  tame,
  textField,
  wild,
  type ShellField,
} from '../field.ts';
import { Options } from '../options.ts';
import { pathOf } from '../path-kind.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';

const filters =
  /^-(name|iname|path|ipath|wholename|regex|iregex|newer\w*|mtime|mmin|ctime|atime|size|empty|user|perm|links|inum|samefile)$/;
const executing = /^-(exec|execdir|ok|okdir)$/;

const find: Judge = ({ args }, context) => {
  const firstTest = args.findIndex((each) => /^[-(!]/.test(prefixOf(each)) && !/^-[HLPO]/.test(prefixOf(each)));
  const roots = (firstTest === -1 ? args : args.slice(0, firstTest)).filter((each) => !prefixOf(each).startsWith('-'));
  const places = roots.length === 0 ? [textField('.')] : roots;
  const tests = args.slice(Math.max(0, firstTest));
  const isFiltered = tests.some((each) => filters.test(shownOf(each)));
  const found = places.map((root) => foundIn(root, isFiltered, context));
  for (const [index, test] of tests.entries()) {
    const name = shownOf(test);
    if (name === '-delete') for (const place of found) judgeAction('delete', place, context);
    else if (/^-f(printf|print|print0|ls)$/.test(name)) judgeAction('write', tests[index + 1] ?? emptyField, context);
    else if (executing.test(name)) runOn(commandAt(tests, index + 1), found, context);
  }
  return places.every((root) => ['inside', 'workspace', 'temporary'].includes(context.kindOf(root))) ? [tame] : [wild];
};

/** In the workspace a filter selects some of its files; elsewhere the worst case is assumed. */
function foundIn(root: ShellField, isFiltered: boolean, context: JudgeContext): ShellField {
  const kind = context.kindOf(root);
  const isHere =
    kind === 'home' && !prefixOf(root).startsWith('/') && literalOf(context.shell.cwd) === context.shell.folders.cwd;
  if (isFiltered && (isHere || ['inside', 'workspace', 'temporary'].includes(kind)))
    return joined([...root, ...textField('/'), tame]);
  return root;
}

function commandAt(tests: readonly ShellField[], start: number): readonly ShellField[] {
  const length = tests.slice(start).findIndex((each, index, all) => {
    const shown = literalOf(each);
    return shown === ';' || (shown === '+' && literalOf(all[index - 1] ?? emptyField) === '{}');
  });
  return tests.slice(start, length === -1 ? undefined : start + length);
}

function runOn(words: readonly ShellField[], found: readonly ShellField[], context: JudgeContext): void {
  for (const place of found) context.command(words.map((word) => replaced(word, '{}', place)));
}

function replaced(word: ShellField, mark: string, value: ShellField): ShellField {
  return joined(
    word.flatMap((piece) => {
      if (piece.kind !== 'text' || !piece.text.includes(mark)) return [piece];
      return piece.text.split(mark).flatMap((text, index) => [...(index === 0 ? [] : value), ...textField(text)]);
    }),
  );
}

const fastFind: Judge = ({ args }, context) => {
  const place = args.findIndex((each) => /^(-x|-X|--exec|--exec-batch)$/.test(shownOf(each)));
  if (place === -1) return [tame];
  const options = new Options(args.slice(0, place), {
    short: 'etdEcjSoC',
    long: ['--search-path', '--base-directory'],
  });
  const roots = [...options.operands.slice(1), ...options.valuesOf('--search-path', '--base-directory', '-C')];
  const found = (roots.length === 0 ? [textField('.')] : roots).map((root) => foundIn(root, true, context));
  runOn([...args.slice(place + 1), textField('{}')], found, context);
  return [tame];
};

/** The words of the input, or one placeholder for them. */
function inputWords(input: ShellField | undefined, separator: RegExp): ShellField[] {
  const text = input === undefined ? undefined : literalOf(input);
  if (text === undefined) return [[originOf(input ?? [tame]) === 'tame' ? tame : wild]];
  return text
    .split(separator)
    .filter((word) => word !== '')
    .slice(0, 64)
    .map(textField);
}

const perInput: Judge = ({ name, args }, context) => {
  const options = new Options(args, {
    short: name === 'xargs' ? 'aEdILnPs' : 'ajNILdSn',
    long: [
      '--arg-file',
      '--delimiter',
      '--max-args',
      '--max-procs',
      '--max-lines',
      '--replace',
      '--max-chars',
      '--jobs',
      '--colsep',
      '--joblog',
      '--results',
    ],
    stopsAtOperand: true,
  });
  judgeParallelism(options, context);
  const mark = options.valuesOf('-I', '-i', '--replace').map(shownOf)[0] ?? (name === 'parallel' ? '{}' : undefined);
  const source = options.operands.findIndex((each) => /^:::\+?$/.test(shownOf(each)));
  const command = source === -1 ? options.operands : options.operands.slice(0, source);
  const input =
    source === -1
      ? inputWords(listOf(options, context) ?? context.input, separatorOf(name, options))
      : options.operands.slice(source + 1);
  if (command.length === 0)
    return name === 'parallel' ? void context.script(context.input ?? emptyField, name) : [wild];
  if (name === 'parallel' && command.length === 1)
    context.script(replaced(command[0] ?? emptyField, '{}', input[0] ?? emptyField), name);
  const isMarked = mark !== undefined && command.some((word) => shownOf(word).includes(mark));
  if (!isMarked) return context.command([...command, ...input]);
  for (const word of input) context.command(command.map((each) => replaced(each, mark, word)));
  return [wild];
};

/** The content of the file that `-a` names instead of standard input. */
function listOf(options: Options, { shell }: JudgeContext): ShellField | undefined {
  const [file] = options.valuesOf('-a', '--arg-file');
  if (file === undefined) return undefined;
  const [piece] = file;
  if (piece?.kind === 'unknown' && piece.content !== undefined) return piece.content;
  const path = pathOf(file, shell);
  return (path === undefined ? undefined : shell.files.get(path)) ?? [tame];
}

/** Lines if there is a replacement string, complete texts with `-0`, else words. */
function separatorOf(name: string, options: Options): RegExp {
  if (options.has('-0', '--null')) return /\0/;
  return name === 'parallel' || options.has('-I', '-i', '-L', '-d', '--replace', '--delimiter', '--max-lines')
    ? /\n/
    : /\s+/;
}

/** Detects one process per line for endless input. */
function judgeParallelism(options: Options, context: JudgeContext): void {
  const isUnbounded = options.valuesOf('-P', '--max-procs', '-j', '--jobs').some((each) => shownOf(each) === '0');
  const isEndless = context.input?.some((piece) => piece.kind === 'unknown' && piece.origin === 'endless') ?? false;
  if (isUnbounded && isEndless) context.report('refuse', 'fork-bomb', 'xargs -P0: starts processes endlessly');
}

const ripgrep: Judge = ({ args }, context) => {
  const options = new Options(args, { short: 'efgtTABCmMrjd', long: ['--pre', '--pre-glob', '--hostname-bin'] });
  if (options.valuesOf('--pre', '--hostname-bin').length > 0)
    context.report('ask', 'hidden-execution', 'rg --pre: runs another program on every file');
  return options.has('-l', '-L', '--files', '--files-with-matches', '--files-without-match') ? [tame] : [wild];
};

export const searchPrograms: Readonly<Record<string, Judge>> = {
  find,
  gfind: find,
  fd: fastFind,
  fdfind: fastFind,
  xargs: perInput,
  gxargs: perInput,
  parallel: perInput,
  rg: ripgrep,
};
