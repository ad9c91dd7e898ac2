// git: forced pushes, and the many options, settings and URLs through which git runs other programs.

import { judgeAction } from '../action.ts';
import {
  emptyField,
  literalOf,
  originOf,
  prefixOf,
  shownOf,
  tame,
  textField,
  withoutPrefix,
  type ShellField,
} from '../field.ts';
import { Options } from '../options.ts';
import type { Judge, Output, JudgeContext } from '../judge-context.ts';
import { judgeHelper } from './files.ts';

export const git: Judge = ({ args }, context) => {
  const global = new Options(args, {
    short: 'Cc',
    long: ['--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--super-prefix'],
    stopsAtOperand: true,
  });
  for (const setting of global.valuesOf('-c', '--config-env')) judgeSetting(setting, context);
  if (global.valuesOf('--exec-path').length > 0)
    context.report('ask', 'hidden-execution', 'git --exec-path: runs other programs');
  const [name = emptyField, ...rest] = global.operands;
  const subcommand = literalOf(name);
  if (subcommand === undefined) return unknownSubcommand(name, context);
  const alias = aliasOf(subcommand, global, context);
  if (alias !== undefined) return judgeAlias(alias, rest, context);
  return judgeSubcommand(subcommand, rest, context);
};

function unknownSubcommand(name: ShellField, context: JudgeContext): Output {
  context.report('refuse', 'unknown-code', `git ${shownOf(name)}: the subcommand is unknown`);
  return [tame];
}

/** From `-c alias.NAME=…` or an earlier `git config alias.NAME …` in the same command. */
function aliasOf(name: string, global: Options, context: JudgeContext): ShellField | undefined {
  const given = global.valuesOf('-c').find((setting) => prefixOf(setting).toLowerCase().startsWith(`alias.${name}=`));
  if (given !== undefined) return withoutPrefix(given, `alias.${name}=`.length);
  const stored = context.shell.aliases.get(`git ${name}`);
  return stored === undefined ? undefined : textField(stored);
}

function judgeAlias(alias: ShellField, rest: readonly ShellField[], context: JudgeContext): Output {
  const text = literalOf(alias);
  if (text === undefined) return unknownSubcommand(alias, context);
  if (text.startsWith('!')) return context.script(textField(text.slice(1)), 'git alias');
  const words = text.split(/\s+/).filter((word) => word !== '');
  return context.command([textField('git'), ...words.map(textField), ...rest]);
}

type Subcommand = (args: readonly ShellField[], context: JudgeContext) => void;

function judgeSubcommand(name: string, args: readonly ShellField[], context: JudgeContext): Output {
  judgeCommon(args, context);
  subcommands[name]?.(args, context);
  return name === 'config' || name === 'show' || name === 'log' || name === 'cat-file'
    ? [{ ...tame, origin: 'wild' }]
    : [tame];
}

/** Options that many subcommands share. */
function judgeCommon(args: readonly ShellField[], context: JudgeContext): void {
  const options = new Options(args, {
    long: ['--output', '--upload-pack', '--receive-pack', '--open-files-in-pager', '--extcmd'],
  });
  for (const file of options.valuesOf('--output')) judgeAction('write', file, context);
  for (const code of options.valuesOf('--upload-pack', '--receive-pack', '--extcmd', '--open-files-in-pager'))
    judgeHelper(code, 'git', context);
  for (const argument of args)
    if (shownOf(argument).startsWith('ext::'))
      context.report('refuse', 'hidden-execution', `git ${shownOf(argument)}: runs a command`);
  if (options.has('--ext-diff')) context.report('ask', 'hidden-execution', 'git --ext-diff: runs another program');
}

const forcing: readonly string[] = [
  '-f',
  '--force',
  '--force-with-lease',
  '--force-if-includes',
  '--mirror',
  '--delete',
  '-d',
  '--prune',
];

const push: Subcommand = (args, context) => {
  const options = new Options(args, { short: 'o', long: ['--repo', '--push-option', '--exec', '--receive-pack'] });
  const refuse = (part: string, does: string): void =>
    context.report('refuse', 'forced-push', `git push ${part}: ${does}`);
  if (options.has(...forcing) || args.some((each) => /^--(fo|mir|del|pru)/.test(shownOf(each))))
    refuse('by force', 'rewrites or deletes what others have');
  for (const code of options.valuesOf('--exec')) judgeHelper(code, 'git push', context);
  const [remote = emptyField, ...references] = options.operands;
  if (/^(\w+:\/\/|[\w.-]+@?[\w.-]*:)|\//.test(shownOf(remote)) && context.kindOf(remote) !== 'temporary') {
    context.report('ask', 'network', `git push ${shownOf(remote)}: uploads to another address`);
  }
  for (const reference of references) {
    const shown = prefixOf(reference);
    if (shown.startsWith('+')) refuse(shownOf(reference), 'rewrites what others have');
    if (shown.startsWith(':')) refuse(shownOf(reference), 'deletes what others have');
  }
  if (options.operands.some((each) => originOf(each) === 'wild' && !/^[\w/]/.test(prefixOf(each)))) {
    refuse('with unknown words', 'may rewrite what others have');
  }
};

/** Settings whose value is run, or that replace an option that would be refused. */
const executedSetting =
  /^(core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|attributesfile|alternaterefscommand)|sequence\.editor|pager\.|diff\.(external|.*\.(command|textconv))|merge\..*\.driver|filter\..*\.(clean|smudge|process)|(diff|merge)tool\..*\.(cmd|path)|credential\.(.*\.)?helper|gpg\.(.*\.)?program|browser\..*\.(cmd|path)|man\..*\.(cmd|path)|interactive\.difffilter|uploadpack\.packobjectshook|init\.templatedir|include(if\..*)?\.path|protocol\.(ext\.)?allow|url\..*\.(push)?insteadof|remote\..*\.(uploadpack|receivepack|vcs|proxy)|submodule\..*\.update|trailer\..*\.(cmd|command)|sendemail\..*(cmd|server))/;

function judgeSetting(setting: ShellField, context: JudgeContext): void {
  const shown = prefixOf(setting);
  const equals = shown.indexOf('=');
  if (equals === -1) return;
  judgeStored(shown.slice(0, equals).toLowerCase(), withoutPrefix(setting, equals + 1), context);
}

function judgeStored(name: string, value: ShellField, context: JudgeContext): void {
  const text = shownOf(value);
  if (/^remote\..*\.mirror$/.test(name) && text !== 'false')
    context.report('refuse', 'forced-push', `${name}: every push rewrites history`);
  if (/^remote\..*\.push$/.test(name) && text.startsWith('+'))
    context.report('refuse', 'forced-push', `${name}: every push rewrites history`);
  if (name.startsWith('alias.')) judgeAliasText(name, text, context);
  if (
    !executedSetting.test(name) ||
    /^(cat|less|vim?|nano|true|:|store|cache|osxkeychain|manager|code --wait|ssh|)$/.test(text)
  )
    return;
  judgeHelper(value, name, context);
}

function judgeAliasText(name: string, text: string, context: JudgeContext): void {
  const finding = context.findingOf(text.startsWith('!') ? text.slice(1) : `git ${text}`);
  if (finding !== undefined) context.report(finding.verdict, finding.class, `${name}: ${finding.reason}`);
}

const config: Subcommand = (args, context) => {
  const options = new Options(args, {
    short: 'ft',
    long: ['--file', '--type', '--default', '--blob', '--comment', '--value'],
  });
  const words = options.operands.filter(
    (each, index) => !(index === 0 && /^(set|get|unset|list|edit|add)$/.test(shownOf(each))),
  );
  const [name = emptyField, value] = words;
  for (const file of options.valuesOf('-f', '--file'))
    judgeAction(value === undefined ? 'read' : 'write', file, context);
  if (options.has('-e', '--edit')) context.report('ask', 'settings', 'git config --edit: changes settings');
  if (value === undefined) return;
  const isReading = options.has('--get', '--get-all', '--get-regexp', '--unset', '--unset-all');
  if (isReading) return;
  const setting = (literalOf(name) ?? '').toLowerCase();
  if (literalOf(name) === undefined)
    context.report('ask', 'settings', 'git config: the name of the setting is unknown');
  if (setting.startsWith('alias.')) context.shell.aliases.set(`git ${setting.slice(6)}`, shownOf(value));
  judgeStored(setting, value, context);
};

/** The arguments after the word are a command, as words or as one text. */
function running(word: string | undefined): Subcommand {
  return (args, context) => {
    const start = word === undefined ? 0 : args.findIndex((each) => shownOf(each) === word) + 1;
    if (word !== undefined && start === 0) return;
    const words = new Options(args.slice(start), { stopsAtOperand: true }).operands;
    if (words.length === 1 && words[0] !== undefined) context.script(words[0], `git ${word ?? ''}`);
    else context.command(words);
  };
}

const rebase: Subcommand = (args, context) => {
  const options = new Options(args, { short: 'xsXCS', long: ['--exec', '--strategy', '--onto'] });
  for (const code of options.valuesOf('-x', '--exec')) context.script(code, 'git rebase --exec');
};

const clone: Subcommand = (args, context) => {
  const options = new Options(args, {
    short: 'cubjo',
    long: [
      '--config',
      '--upload-pack',
      '--template',
      '--branch',
      '--depth',
      '--origin',
      '--reference',
      '--separate-git-dir',
    ],
  });
  for (const setting of options.valuesOf('-c', '--config')) judgeSetting(setting, context);
  for (const code of options.valuesOf('-u')) judgeHelper(code, 'git clone', context);
  if (options.valuesOf('--template').length > 0)
    context.report('ask', 'hidden-execution', 'git clone --template: installs hooks');
  const [, target] = options.operands;
  if (target !== undefined) judgeAction('write', target, context);
};

const filterBranch: Subcommand = (args, context) => {
  for (const each of args) {
    const finding = /\s/.test(shownOf(each)) ? context.findingOf(shownOf(each)) : undefined;
    if (finding?.verdict === 'refuse') context.report('refuse', finding.class, `git filter-branch: ${finding.reason}`);
  }
  context.report('ask', 'forced-push', 'git filter-branch: rewrites the whole history');
};

const writingTo =
  (short: string, ...long: readonly string[]): Subcommand =>
  (args, context) => {
    const names = Array.from(short, (letter) => `-${letter}`);
    for (const file of new Options(args, { short, long }).valuesOf(...names, ...long))
      judgeAction('write', file, context);
  };

const subcommands: Readonly<Record<string, Subcommand>> = {
  push,
  config,
  rebase,
  clone,
  'send-pack': push,
  'http-push': push,
  'filter-branch': filterBranch,
  'filter-repo': filterBranch,
  bisect: running('run'),
  submodule: running('foreach'),
  'for-each-repo': running(undefined),
  archive: (args, context) => {
    writingTo('o', '--output')(args, context);
    for (const code of new Options(args, { long: ['--exec', '--remote'] }).valuesOf('--exec'))
      judgeHelper(code, 'git archive', context);
  },
  'format-patch': writingTo('o', '--output-directory'),
  bundle: (args, context) => {
    if (shownOf(args[0] ?? emptyField) === 'create' && args[1] !== undefined) judgeAction('write', args[1], context);
  },
  grep: (args, context) => {
    for (const code of new Options(args, { short: 'OeABCm' }).valuesOf('-O')) judgeHelper(code, 'git grep', context);
  },
  difftool: (args, context) => {
    for (const code of new Options(args, { short: 'xt', long: ['--extcmd'] }).valuesOf('-x'))
      judgeHelper(code, 'git difftool', context);
  },
  'update-ref': (_args, context) => context.report('ask', 'forced-push', 'git update-ref: rewrites history'),
  daemon: (_args, context) => context.report('ask', 'network', 'git daemon: opens a server'),
  'credential': (_args, context) => context.report('ask', 'secrets', 'git credential: prints secrets'),
};
