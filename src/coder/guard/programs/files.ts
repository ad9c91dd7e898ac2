// Programs that delete, write, move or change files: which of their arguments are affected, and how.

import { judgeAction, type Action } from '../action.ts';
import {
  emptyField,
  joined,
  literalOf,
  prefixOf,
  shownOf,
  tame,
  textField,
  withoutPrefix,
  type ShellField,
} from '../field.ts';
import { Options, type Grammar } from '../options.ts';
import { pathOf } from '../path-kind.ts';
import type { JudgedCall, Judge, JudgeContext } from '../judge-context.ts';

const remove: Judge = ({ args }, context) => {
  const options = new Options(args, { long: ['--interactive'] });
  const isRecursive = options.has('-r', '-R', '--recursive', '-d', '--no-preserve-root');
  for (const operand of options.operands) {
    judgeAction(isRecursive || operand.some(isWild) ? 'delete' : 'remove', operand, context);
  }
  return emptyField;
};

/** An unknown option may be `-rf`, so it counts as a recursive deletion. */
function isWild(piece: ShellField[number]): boolean {
  return piece.kind === 'unknown' && piece.origin === 'wild' && piece.name !== undefined;
}

/** Every operand is affected. */
function touching(action: Action, grammar: Grammar = {}): Judge {
  return ({ args }, context) => {
    for (const operand of new Options(args, grammar).operands) judgeAction(action, operand, context);
    return emptyField;
  };
}

const changeMode: Judge = ({ name, args }, context) => {
  const options = new Options(
    args.filter((each) => !/^-[rwxXst]+$/.test(shownOf(each))),
    { long: ['--reference', '--from'] },
  );
  const targets = options.has('--reference') ? options.operands : options.operands.slice(1);
  for (const target of targets) judgeAction('mode', target, context);
  if (name === 'chmod' && /\+s|^[2467]\d{3}$/.test(shownOf(options.operands[0] ?? emptyField))) {
    context.report(
      'ask',
      'permissions',
      `${shownOf(options.operands[0] ?? emptyField)}: gives a program its owner's rights`,
    );
  }
  return emptyField;
};

/** Sources and a target, which is the last operand or the value of `-t`. */
function transfer(
  args: readonly ShellField[],
  grammar: Grammar,
): { options: Options; sources: ShellField[]; target: ShellField | undefined } {
  const options = new Options(args, grammar);
  const [folder] = options.valuesOf('-t', '--target-directory');
  const operands = [...options.operands];
  const target = folder ?? (operands.length > 1 ? operands.pop() : undefined);
  return { options, sources: operands, target };
}

const transferGrammar: Grammar = {
  short: 'tSmog',
  long: ['--target-directory', '--suffix', '--mode', '--owner', '--group'],
};

const copy: Judge = ({ args }, context) => {
  const { sources, target } = transfer(args, transferGrammar);
  if (target !== undefined) judgeAction('write', target, context);
  remember(sources, target, context, 'copy');
  return emptyField;
};

const move: Judge = ({ args }, context) => {
  const { sources, target } = transfer(args, transferGrammar);
  for (const source of sources) judgeAction('move', source, context);
  if (target !== undefined) judgeAction('write', target, context);
  remember(sources, target, context, 'copy');
  return emptyField;
};

const link: Judge = ({ args }, context) => {
  const { options, sources, target } = transfer(args, transferGrammar);
  const isSymbolic = options.has('-s', '--symbolic');
  if (target !== undefined) judgeAction('write', target, context);
  for (const source of sources) {
    const kind = context.kindOf(source);
    if (['root', 'home', 'device', 'ancestor', 'secret', 'anywhere'].includes(kind)) {
      context.report('ask', 'outside-write', `${shownOf(source)}: a link to it would point outside the workspace`);
    }
  }
  remember(sources, target ?? textField('.'), context, isSymbolic ? 'link' : 'copy');
  return emptyField;
};

/** Records what later commands find under the new name. */
function remember(
  sources: readonly ShellField[],
  target: ShellField | undefined,
  context: JudgeContext,
  kind: 'link' | 'copy',
): void {
  const { shell } = context;
  const to = target === undefined ? undefined : pathOf(target, shell);
  if (to === undefined) return;
  for (const source of sources) {
    const from = pathOf(source, shell);
    if (from === undefined) continue;
    const name = from.slice(from.lastIndexOf('/') + 1);
    const isIntoFolder = sources.length > 1 || /(^|\/)\.{0,2}\/?$/.test(shownOf(target ?? emptyField));
    for (const path of isIntoFolder ? [`${to}/${name}`] : [to, `${to}/${name}`]) {
      shell.programs.set(path, from);
      if (kind === 'link') shell.links.set(path, from);
      const content = shell.files.get(from);
      if (content !== undefined) shell.files.set(path, content);
    }
  }
}

const tee: Judge = ({ args }, context) => {
  for (const operand of new Options(args).operands) {
    judgeAction('write', operand, context);
    const path = pathOf(operand, context.shell);
    if (path !== undefined) context.shell.files.set(path, context.input ?? emptyField);
  }
  return context.input ?? emptyField;
};

const convert: Judge = ({ args }, context) => {
  for (const argument of args) {
    const shown = prefixOf(argument);
    const file = withoutPrefix(argument, 3);
    const path = pathOf(file, context.shell);
    if (shown.startsWith('of=')) judgeAction('write', file, context);
    if (shown.startsWith('of=') && path !== undefined && context.input !== undefined)
      context.shell.files.set(path, context.input);
    if (shown.startsWith('if=')) judgeAction('read', file, context);
  }
};

const sync: Judge = ({ args }, context) => {
  const options = new Options(args, {
    short: 'efT',
    long: ['--rsh', '--rsync-path', '--exclude', '--include', '--filter', '--files-from'],
  });
  for (const code of options.valuesOf('-e', '--rsh', '--rsync-path')) judgeHelper(code, 'rsync', context);
  const operands = [...options.operands];
  const target = operands.pop();
  if (operands.some(isRemote) || (target !== undefined && isRemote(target))) {
    context.report('ask', 'network', 'rsync: copies to or from another machine');
  } else if (target !== undefined) {
    const deletes = options.has(
      '--delete',
      '--delete-before',
      '--delete-after',
      '--delete-during',
      '--delete-excluded',
      '--del',
    );
    judgeAction(deletes ? 'delete' : 'write', target, context);
  }
  if (options.has('--remove-source-files')) for (const source of operands) judgeAction('move', source, context);
};

export function isRemote(field: ShellField): boolean {
  return /^[^/]*[\w\]]:(?!\\)/.test(shownOf(field));
}

/** Judges a program named in an option. */
export function judgeHelper(code: ShellField, part: string, context: JudgeContext): void {
  const finding = context.findingOf(shownOf(code));
  if (finding?.verdict === 'refuse') context.report('refuse', finding.class, `${part}: ${finding.reason}`);
  else context.report('ask', 'hidden-execution', `${part}: runs ${shownOf(code)}`);
}

const archive: Judge = ({ args }, context) => {
  const bundled = literalOf(args[0] ?? emptyField) ?? '';
  const normal = /^[a-zA-Z]+$/.test(bundled) ? [textField(`-${bundled}`), ...args.slice(1)] : args;
  const options = new Options(normal, {
    short: 'fCIFbKNTVX',
    long: [
      '--file',
      '--directory',
      '--use-compress-program',
      '--to-command',
      '--checkpoint-action',
      '--info-script',
      '--rsh-command',
      '--exclude',
    ],
  });
  const [folder = textField('.')] = options.valuesOf('-C', '--directory');
  if (options.has('-x', '--extract', '--get'))
    judgeAction('write', joined([...folder, ...textField('/'), tame]), context);
  if (options.has('-c', '--create'))
    for (const file of options.valuesOf('-f', '--file')) judgeAction('write', file, context);
  const programs = options.valuesOf(
    '-I',
    '-F',
    '--use-compress-program',
    '--to-command',
    '--info-script',
    '--rsh-command',
  );
  const actions = options.valuesOf('--checkpoint-action').filter((each) => prefixOf(each).startsWith('exec='));
  for (const code of [...programs, ...actions.map((each) => withoutPrefix(each, 5))]) {
    if (!/^(gzip|pigz|zstd|xz|bzip2|lz4|lbzip2)( -\S+)*$/.test(shownOf(code))) judgeHelper(code, 'tar', context);
  }
  if (options.has('--remove-files')) for (const operand of options.operands) judgeAction('delete', operand, context);
};

/** Writes to the values of options, and to operands from an index on. */
function writing(short: string, long: readonly string[], firstOperand = Number.POSITIVE_INFINITY, extra = ''): Judge {
  return ({ args }, context) => {
    const options = new Options(args, { short: short + extra, long });
    const names = Array.from(short, (letter) => `-${letter}`);
    for (const target of options.valuesOf(...names, ...long)) judgeAction('write', target, context);
    for (const target of options.operands.slice(firstOperand)) judgeAction('write', target, context);
  };
}

/** Line editors: `!` in the input starts a shell command. */
function withLines(judge: Judge): Judge {
  return (call, context) => {
    for (const [, code = ''] of shownOf(context.input ?? []).matchAll(/^[\d,$%.]*\s*[rw]?\s*!(.+)$/gm))
      context.script(textField(code), call.name);
    return judge(call, context);
  };
}

/** Packs files and, with this option, deletes them. */
function packing(deleting: RegExp): Judge {
  return ({ args }, context) => {
    if (!args.some((each) => deleting.test(shownOf(each)))) return;
    for (const file of new Options(args).operands.slice(1)) judgeAction('delete', file, context);
  };
}

/** Copies to and from disks: any of its words may be the target. */
const imaging: Judge = ({ args }, context) => {
  for (const each of args) {
    const [option = ''] = /^(-{1,2}[\w-]+=|\w+=)/.exec(prefixOf(each)) ?? [];
    if (context.kindOf(withoutPrefix(each, option.length)) === 'device')
      judgeAction('write', withoutPrefix(each, option.length), context);
  }
};

function withFilter(judge: Judge, ...names: readonly string[]): Judge {
  return (call: JudgedCall, context) => {
    for (const code of new Options(call.args, { long: names }).valuesOf(...names)) context.script(code, call.name);
    return judge(call, context);
  };
}

export const filePrograms: Readonly<Record<string, Judge>> = {
  rm: remove,
  rmdir: touching('remove'),
  unlink: touching('remove'),
  shred: touching('delete', { short: 'ns', long: ['--iterations', '--size'] }),
  srm: touching('delete'),
  trash: touching('delete'),
  rimraf: touching('delete'),
  'del-cli': touching('delete'),
  chmod: changeMode,
  chown: changeMode,
  chgrp: changeMode,
  setfacl: touching('mode', { short: 'mxMX' }),
  chattr: touching('mode'),
  cp: copy,
  install: copy,
  mv: move,
  rename: touching('move'),
  ln: link,
  link,
  tee,
  sponge: tee,
  dd: convert,
  dcfldd: convert,
  rsync: sync,
  tar: archive,
  bsdtar: archive,
  unzip: writing('d', []),
  zip: packing(/^-[a-zA-Z]*m|^--move$/),
  ...Object.fromEntries(['7z', '7za', '7zz', '7zr'].map((name) => [name, packing(/^-sdel$/)])),
  ...Object.fromEntries(
    ['ddrescue', 'dd_rescue', 'dc3dd', 'ntfsclone', 'partimage', 'fsarchiver', 'e2image'].map((name) => [
      name,
      imaging,
    ]),
  ),
  truncate: touching('write', { short: 'sr', long: ['--size', '--reference'] }),
  fallocate: touching('write', { short: 'lo', long: ['--length', '--offset'] }),
  touch: touching('write', { short: 'dtr', long: ['--date', '--reference', '--time'] }),
  mkdir: touching('write', { short: 'm', long: ['--mode'] }),
  mkfifo: touching('write', { short: 'm' }),
  sort: withFilter(writing('o', ['--output'], undefined, 'ktST'), '--compress-program'),
  uniq: writing('', [], 1, 'fsw'),
  tree: writing('o', [], undefined, 'LPI'),
  split: withFilter(writing('', [], 1, 'abCln'), '--filter'),
  patch: writing('od', ['--output', '--directory'], undefined, 'pi'),
  ex: withLines(touching('write', { short: 'c' })),
  ed: withLines(touching('write')),
};
