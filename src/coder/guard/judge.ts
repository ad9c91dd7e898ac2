// Judges one command: finds the program of its first word and passes the arguments to that program's judge. The arguments of
// an unknown program are searched for a command that would be refused.

import { judgeAction } from './action.ts';
import {
  emptyField,
  literalOf,
  originOf,
  prefixOf,
  shownOf,
  textField,
  wild,
  withoutPrefix,
  type ShellField,
} from './field.ts';
import { pathOf } from './path-kind.ts';
import { findLanguage } from './programs/code.ts';
import { buildPrograms } from './programs/build.ts';
import { containerPrograms } from './programs/containers.ts';
import { filePrograms } from './programs/files.ts';
import { git } from './programs/git.ts';
import { networkPrograms } from './programs/network.ts';
import { searchPrograms } from './programs/search.ts';
import { shellPrograms } from './programs/shells.ts';
import { systemPrograms } from './programs/system.ts';
import { textPrograms } from './programs/text.ts';
import { wrapperPrograms } from './programs/wrappers.ts';
import type { JudgedCall, Judge, Output, JudgeContext } from './judge-context.ts';
import type { FindingClass } from './verdict.ts';
import { secretIn } from './variable-table.ts';

/** A program can be in several tables: `npm` is a wrapper and can also change published packages. */
const tables = [
  textPrograms,
  filePrograms,
  systemPrograms,
  networkPrograms,
  wrapperPrograms,
  searchPrograms,
  shellPrograms,
  containerPrograms,
  buildPrograms,
  { git },
];

const programs: ReadonlyMap<string, Judge> = tables.reduce((all, table) => {
  for (const [name, judge] of Object.entries(table)) {
    const before = all.get(name);
    all.set(
      name,
      before === undefined ? judge : (call, context) => [before(call, context), judge(call, context)].at(-1),
    );
  }
  return all;
}, new Map<string, Judge>());

/** Programs whose arguments are text and are not searched for commands. */
const textual = new Set([
  ...Object.keys(textPrograms),
  ...Object.keys(shellPrograms),
  'git',
  'gh',
  'glab',
  'rg',
  ...Object.keys(networkPrograms),
]);

export function isProgram(name: string): boolean {
  return programs.has(name) || findLanguage(name) !== undefined;
}

export function judgeCommand(words: readonly ShellField[], context: JudgeContext): Output {
  const [first = emptyField, ...args] = words;
  const name = nameOf(first, context);
  if (name === undefined) return [wild];
  judgeSecrets(name, args, context);
  const alias = context.shell.aliases.get(name);
  if (alias !== undefined) return runAlias(alias, { name, args }, context);
  const written = writtenScript(first, context);
  if (written !== undefined) return runWritten(written, first, context);
  return run({ name: resolvedName(name, first, context), args }, context);
}

function nameOf(first: ShellField, context: JudgeContext): string | undefined {
  if (first.some(({ kind }) => kind === 'glob')) {
    context.report('refuse', 'hidden-execution', `${shownOf(first)}: the command is a pattern`);
    return undefined;
  }
  const known = literalOf(first) ?? knownEnd(first);
  if (known === undefined) context.report('refuse', 'unknown-code', `${shownOf(first)}: the command is unknown`);
  return known?.slice(known.lastIndexOf('/') + 1);
}

/** `$(npm bin)/eslint`: the folder may be unknown, the program is not. */
function knownEnd(first: ShellField): string | undefined {
  const last = first.at(-1);
  const isTrusted = ['tame', 'environment', 'number'].includes(originOf(first) ?? '');
  return last?.kind === 'text' && last.text.includes('/') && isTrusted ? last.text : undefined;
}

/** The program behind a link or copy that the same command created. */
function resolvedName(name: string, first: ShellField, context: JudgeContext): string {
  const { programs: renamed } = context.shell;
  const path = pathOf(first, context.shell) ?? '';
  const isPath = (literalOf(first) ?? '').includes('/');
  const target = isPath
    ? (renamed.get(path) ?? path)
    : Array.from(renamed).find(([link]) => link.endsWith(`/${name}`))?.[1];
  return target === undefined ? name : target.slice(target.lastIndexOf('/') + 1) || name;
}

function writtenScript(first: ShellField, context: JudgeContext): ShellField | undefined {
  const path = (literalOf(first) ?? '').includes('/') ? pathOf(first, context.shell) : undefined;
  return path === undefined ? undefined : context.shell.files.get(path);
}

function runWritten(content: ShellField, first: ShellField, context: JudgeContext): Output {
  const [, interpreter = 'sh'] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(?:\S*\/)?(\S+)/.exec(prefixOf(content)) ?? [];
  const language = findLanguage(interpreter);
  if (language === undefined) return context.script(content, shownOf(first));
  return language({ name: interpreter, args: [first] }, context) ?? [wild];
}

function runAlias(text: string, { name, args }: JudgedCall, context: JudgeContext): Output {
  context.shell.aliases.delete(name);
  const words = text.split(/\s+/).filter((word) => word !== '');
  const isSimple = /^[\w\s./=:@+-]*$/.test(text);
  const output = isSimple ? context.command([...words.map(textField), ...args]) : context.script(textField(text), name);
  context.shell.aliases.set(name, text);
  return output;
}

function run(call: JudgedCall, context: JudgeContext): Output {
  const { name, args } = call;
  if (name.startsWith('git-') && name !== 'git-lfs')
    return context.command([textField('git'), textField(name.slice(4)), ...args]);
  if (/^(mkfs|newfs)[._]/.test(name)) return run({ name: 'mkfs', args }, context);
  if (name.startsWith('partclone.')) return run({ name: 'ddrescue', args }, context);
  const judge = programs.get(name);
  const language = findLanguage(name);
  if (!textual.has(name) && (judge !== undefined || language === undefined)) searchArguments(call, context);
  const output = language?.(call, context);
  return (judge === undefined ? output : judge(call, context)) ?? [wild];
}

const grave: ReadonlySet<FindingClass> = new Set([
  'deletion',
  'fork-bomb',
  'device-write',
  'filesystem',
  'permissions',
  'forced-push',
  'power',
  'system-change',
  'too-complex',
]);
const mostSearched = 48;

/** An unlisted wrapper or an option may take a command, which is then among the arguments. */
function searchArguments({ name, args }: JudgedCall, context: JudgeContext): void {
  for (const [index, argument] of args.slice(0, mostSearched).entries()) {
    const text = literalOf(argument);
    if (text === undefined) continue;
    const word = text.slice(text.lastIndexOf('/') + 1);
    const isKnown =
      (programs.has(word) && !(word in textPrograms)) || findLanguage(word) !== undefined || /^(mkfs|git-)/.test(word);
    if (isKnown && !context.isSearched && !packageManagers.test(name)) reportGrave(name, args.slice(index), context);
    const equals = /^-{0,2}[\w.-]+=/.exec(text)?.[0].length ?? 0;
    if (equals > 0) reportGrave(name, text.slice(equals), context);
    if (/[\s;|&`(]/.test(text.trim())) reportGrave(name, text, context);
  }
}

/** Their arguments are names of packages and scripts: `npm install rimraf`, `npm init`. */
const packageManagers = /^(npm|pnpm|yarn|bun|apt|apt-get|brew|pip3?|cargo|gem|dnf|yum|apk|pacman|uv|poetry)$/;

function reportGrave(name: string, code: string | readonly ShellField[], context: JudgeContext): void {
  const finding = context.findingOf(code);
  if (finding?.verdict === 'refuse' && grave.has(finding.class))
    context.report('refuse', finding.class, `${name}: ${finding.reason}`);
}

const showing =
  /^(cat|tac|head|tail|less|more|bat|grep|egrep|rg|sed|awk|base64|xxd|od|strings|nl|sort|cut|paste|diff|curl|wget|nc|scp|jq|yq|openssl|gpg|tar|zip|python\d*|node|echo|printf)$/;

/** Neither a path nor unknown, as most words are. */
function isPlainWord(field: ShellField): boolean {
  const [piece] = field;
  return (
    field.length === 1 && piece?.kind === 'text' && /^[\w:,+-]*$/.test(piece.text) && !piece.text.startsWith('id_')
  );
}

/** Any argument may be a file that is read. */
function judgeSecrets(name: string, args: readonly ShellField[], context: JudgeContext): void {
  for (const argument of args) {
    if (isPlainWord(argument)) continue;
    const secret = secretIn(argument);
    if (secret !== undefined) context.report('ask', 'secrets', `$${secret}: a secret is passed to ${name}`);
    const [option = ''] = /^(-{1,2}[\w-]+=|[\w-]*=?@)/.exec(prefixOf(argument)) ?? [];
    for (const path of option === '' ? [argument] : [argument, withoutPrefix(argument, option.length)]) {
      judgeAction('read', path, context);
      if (showing.test(name) && /(^|\/)\.env(\.(local|production|development|staging))?$/.test(shownOf(path))) {
        context.report('ask', 'secrets', `${shownOf(path)}: contains secrets`);
      }
    }
  }
}
