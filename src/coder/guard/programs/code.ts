// Code in other languages given as an argument (`python -c`, `node -e`). There is no parser for each language, so only string
// literals and names are examined. A string that would be refused as a command or path counts if the code can run or delete
// something. Code that can run something and obfuscates its strings is refused.

import { judgeAction } from '../action.ts';
import { emptyField, literalOf, originOf, shownOf, textField, type ShellField } from '../field.ts';
import { Options, type Grammar } from '../options.ts';
import { pathOf } from '../path-kind.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';

const spawning =
  /\b(system|exec\w*|spawn\w*|popen\w*|subprocess|child_process|Runtime|ProcessBuilder|shell_exec|passthru|proc_open|pcntl_exec|qx|getline|fork|IO\.popen|Open3|Deno\.(run|Command)|Bun\.(spawn|\$)|os\.exec|doShellScript|do shell script|shell-command\S*|call-process\S*|start-process\S*)\b|`|%x\b|\|\s*&?\s*["']/;
const deleting =
  /\b(rmtree|rm_?rf|rm_r|rmSync|rmdirSync|rm|rmdir|remove_tree|removedirs|remove_entry\w*|unlink\w*|rimraf|removeSync|emptyDirSync|delete_tree|remove|deltree|File::Path|delete-directory|delete-file)\b/;
const forking = /\b(fork|spawn\w*|exec\w*|Popen|system|Process\.(fork|spawn)|pcntl_fork|Worker)\b/;
const endless =
  /\bwhile\s*\(?\s*(1|true|True|:|!0)|\bfor\s*\(\s*;\s*;|\bloop\b|\bwhile\s+1\b|\bfork\s+while\b|\buntil\b|setInterval|\bfork\(\)\s*(?:for|while)|itertools\.count|iter\(int/;
const hiding =
  /\b(fromCharCode|fromCodePoint|atob|b64decode|unhexlify|fromhex|a85decode|b85decode|decode64|unpack|pack|chr|rot_?13|codecs|base64_decode|hex2bin|str_rot13|strrev|decompress|reversed?|getattr|__import__|importlib|__builtins__|globals|Function|eval|compile|marshal|pickle)\b|\[::-1\]|\.reverse\(|\.split\(|\.join\(|\.translate\(|globalThis\s*\[|\$\{|\bBuffer\.from\b/;
const evaluating =
  /\b(eval|exec|compile|Function|runInThisContext|instance_eval|class_eval|create_function|assert|vm)\b/;
const writing =
  /\b(open|write\w*|createWriteStream|file_put_contents|copy\w*|truncate\w*|rename\w*|FileWriter|chmod\w*|chown\w*|symlink\w*|move)\b|>/;

export function judgeCode(language: string, code: ShellField, context: JudgeContext): void {
  const origin = originOf(code);
  if (origin === 'network') return context.report('ask', 'unknown-code', `${language}: runs what it downloads`);
  if (origin === 'wild' || origin === 'endless')
    return context.report('refuse', 'unknown-code', `${language}: runs unknown code`);
  const text = shownOf(code);
  const strings = stringsOf(text);
  if (endless.test(text) && forking.test(text))
    context.report('refuse', 'fork-bomb', `${language}: starts processes endlessly`);
  judgeCommands(language, text, [...strings, ...bareCommandsOf(text)], context);
  judgePaths(text, strings, context);
  // Strings that are run as code. Each is shorter than its container, so the recursion ends.
  if (evaluating.test(text))
    for (const inner of strings) if (/[(;]/.test(inner)) judgeCode(language, textField(inner), context);
}

/** `exec rm -rf /`: some languages need no quotes. */
function bareCommandsOf(text: string): string[] {
  return Array.from(
    text.matchAll(/\b(?:exec|spawn|system)\s+(?:--\s+)?([\w/.-][^\n;\]]*)/g),
    ([, command = '']) => command,
  );
}

function judgeCommands(language: string, text: string, strings: readonly string[], context: JudgeContext): void {
  const canSpawn = spawning.test(text);
  for (const command of new Set([...strings, strings.join(' '), ...pairs(strings)])) {
    const finding = command.trim() === '' ? undefined : context.findingOf(command);
    if (finding?.verdict !== 'refuse' || finding.class === 'unparsed' || finding.class === 'unknown-code') continue;
    if (finding.class === 'hidden-execution' || finding.class === 'outside-write') continue;
    context.report(canSpawn ? 'refuse' : 'ask', finding.class, `${language}: ${finding.reason}`);
  }
  if (evaluating.test(text) && hiding.test(text.replace(evaluating, ''))) {
    context.report('refuse', 'unknown-code', `${language}: runs obfuscated code`);
  } else if (canSpawn && hiding.test(text.replace(spawning, ''))) {
    context.report(
      /\b(fromCharCode|atob|\w*decode\w*|unhexlify|fromhex|chr|pack|unpack|rot_?13|reversed?)\b|\[::-1\]/.test(text)
        ? 'refuse'
        : 'ask',
      'unknown-code',
      `${language}: runs a command built at run time`,
    );
  }
}

/** `['rm', '-rf', '/']` and `'rm -rf ' + '/'`: adjacent strings may form one command. */
function pairs(strings: readonly string[]): string[] {
  return strings
    .slice(0, 32)
    .flatMap((_, index) => [strings.slice(index).join(' '), strings.slice(index, index + 2).join('')]);
}

function judgePaths(text: string, strings: readonly string[], context: JudgeContext): void {
  const canDelete = deleting.test(text);
  const canWrite = writing.test(text);
  for (const path of [...strings, strings.join('')]) {
    if (path === '' || path.length > 200 || /[\s\n]/.test(path)) continue;
    const field = textField(path.startsWith('~') ? context.shell.folders.home + path.slice(1) : path);
    const isPath = /^[/~.]/.test(path);
    if (canDelete && isPath) judgeAction('delete', field, context);
    if (canWrite && path.startsWith('/')) judgeWrite(field, context);
    if (isPath) judgeAction('read', field, context);
  }
  if (
    canDelete &&
    /\b(rmtree|rmSync|rm_?rf|remove_tree|rimraf)\b/.test(text) &&
    /homedir|expanduser|Path\.home|ENV\[|environ|process\.env/.test(text)
  ) {
    context.report('ask', 'deletion', 'deletes a folder that depends on the environment');
  }
}

/** Reading `/etc/hostname` looks like writing it, so only devices are refused. */
function judgeWrite(field: ShellField, context: JudgeContext): void {
  const kind = context.kindOf(field);
  if (kind === 'device') context.report('refuse', 'device-write', `${shownOf(field)}: writes to a device`);
  if (kind === 'settings' || kind === 'protected') judgeAction('write', field, context);
}

/** The string literals, with escapes decoded. The languages here quote similarly enough for this. */
function stringsOf(code: string): string[] {
  const strings: string[] = [];
  for (const match of code.matchAll(
    /(["'`])((?:\\[^]|(?!\1)[^\\])*)\1|\bq[qxw]?\s*[{(]([^})]*)[})]|%[xqQwW]?[{([]([^})\]]*)[})\]]/g,
  )) {
    strings.push(unescaped(match[2] ?? match[3] ?? match[4] ?? ''));
    if (strings.length >= 200) break;
  }
  return strings;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|[0-7]{3}|.)/gs, (_whole, code: string) => {
    if (/^[xu]/.test(code) && code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]{3}$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    return code === 'n' ? '\n' : code;
  });
}

interface Language {
  readonly names: RegExp;
  readonly label: string;
  /** Options whose value is code. */
  readonly code: readonly string[];
  readonly grammar: Grammar;
  /** A first operand after which code follows as an operand: `deno eval`. */
  readonly word?: string;
}

const languages: readonly Language[] = [
  {
    names: /^(python|pypy)[\d.]*$|^ipython3?$/,
    label: 'python',
    code: ['-c'],
    grammar: { short: 'cmWX', stopsAtOperand: true },
  },
  { names: /^perl[\d.]*$/, label: 'perl', code: ['-e', '-E'], grammar: { short: 'eEIMm', stopsAtOperand: true } },
  {
    names: /^(node|nodejs|tsx|ts-node|bun)$/,
    label: 'node',
    code: ['-e', '-p', '--eval', '--print', '-pe'],
    grammar: {
      short: 'eprC',
      long: [
        '--eval',
        '--print',
        '-pe',
        '--require',
        '--import',
        '--loader',
        '--env-file',
        '--test-name-pattern',
        '--test-reporter',
      ],
      stopsAtOperand: true,
    },
  },
  { names: /^(ruby|irb)[\d.]*$/, label: 'ruby', code: ['-e'], grammar: { short: 'eIrC', stopsAtOperand: true } },
  {
    names: /^php[\d.]*$/,
    label: 'php',
    code: ['-r', '-B', '-R', '-E'],
    grammar: { short: 'rBREdfFz', stopsAtOperand: true },
  },
  { names: /^(lua|luajit)[\d.]*$/, label: 'lua', code: ['-e'], grammar: { short: 'el', stopsAtOperand: true } },
  {
    names: /^(osascript|Rscript|R|julia|elixir|scala|groovy|ghc|raku|guile|racket|sbcl|erl|tclsh|swift)$/,
    label: 'code',
    code: ['-e', '-E', '-eval', '--eval', '-c'],
    grammar: { short: 'eEc', long: ['--eval', '-eval'], stopsAtOperand: true },
  },
  {
    names: /^bun$/,
    label: 'bun',
    code: ['-e', '--eval', '-p', '--print'],
    grammar: { short: 'ep', long: ['--eval', '--print'], stopsAtOperand: true },
  },
  {
    names: /^emacs$/,
    label: 'emacs',
    code: ['--eval', '-eval', '--execute', '-execute'],
    grammar: { short: 'flu', long: ['--eval', '-eval', '--execute', '-execute', '--load', '--funcall'] },
  },
  { names: /^deno$/, label: 'deno', code: [], grammar: { stopsAtOperand: true }, word: 'eval' },
];

const judgeLanguage =
  ({ label, code, grammar, word }: Language): Judge =>
  ({ name, args }, context) => {
    const options = new Options(args, grammar);
    for (const text of options.valuesOf(...code)) judgeCode(label, text, context);
    const [first, ...rest] = options.operands;
    if (word !== undefined && literalOf(first ?? emptyField) === word)
      for (const text of rest) judgeCode(label, text, context);
    if (label === 'python') judgeModule(args, context);
    judgeScript(first, options.valuesOf(...code, '-m').length > 0, { name, context });
    return label === 'node' && options.has('-p', '--print') ? [{ kind: 'unknown', origin: 'tame' }] : undefined;
  };

function judgeScript(
  file: ShellField | undefined,
  hasCode: boolean,
  { name, context }: { name: string; context: JudgeContext },
): void {
  if (hasCode) return;
  const [piece] = file ?? [];
  const path = file === undefined ? undefined : pathOf(file, context.shell);
  if (piece?.kind === 'unknown' && piece.content !== undefined) judgeCode(name, piece.content, context);
  else if (file === undefined || shownOf(file) === '-' || path === '/dev/stdin') {
    const isOwnFile =
      context.input?.length === 1 && context.input[0]?.kind === 'unknown' && context.input[0].origin === 'tame';
    if (context.input !== undefined && !isOwnFile) judgeCode(name, context.input, context);
  } else if (originOf(file) === 'wild')
    context.report('refuse', 'unknown-code', `${name} ${shownOf(file)}: the script is unknown`);
  else if (path !== undefined) {
    const content = context.shell.files.get(path);
    if (content !== undefined) judgeCode(`${name} ${shownOf(file)}`, content, context);
  }
}

function judgeModule(args: readonly ShellField[], context: JudgeContext): void {
  const shown = args.map(shownOf);
  const module = shown[shown.indexOf('-m') + 1];
  if (!shown.includes('-m') || module === undefined) return;
  if (
    /^(http\.server|SimpleHTTPServer|pyftpdlib|smtpd)$/.test(module) &&
    shown.some((each) => /0\.0\.0\.0|^::$/.test(each))
  ) {
    context.report('ask', 'network', `python -m ${module}: starts a server that anyone can reach`);
  }
  if (/^(pty|code)$/.test(module)) context.report('ask', 'hidden-execution', `python -m ${module}: starts a shell`);
}

export function findLanguage(name: string): Judge | undefined {
  const language = languages.find(({ names }) => names.test(name));
  return language === undefined ? undefined : judgeLanguage(language);
}
