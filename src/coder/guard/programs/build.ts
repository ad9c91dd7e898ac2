// make and package scripts: recipes and $(shell …) are shell commands. A makefile or package.json that existed before the
// command is the user's own; one that the command writes or pipes in is judged line by line.

import { literalOf, shownOf, textField, type ShellField } from '../field.ts';
import { Options } from '../options.ts';
import { pathOf } from '../path-kind.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';

const make: Judge = ({ args }, context) => {
  const options = new Options(args, {
    short: 'fCIjloW',
    long: ['--file', '--makefile', '--directory', '--include-dir', '--jobs', '--load-average', '--eval', '--old-file'],
  });
  const files = options.valuesOf('-f', '--file', '--makefile');
  const [folder = textField('.')] = options.valuesOf('-C', '--directory');
  const usual = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => [...folder, ...textField(`/${name}`)]);
  for (const file of files.length === 0 ? usual : files) {
    const content = contentOf(file, context);
    if (content !== undefined) judgeMakefile(content, context);
  }
};

function contentOf(file: ShellField, context: JudgeContext): ShellField | undefined {
  const [piece] = file;
  if (piece?.kind === 'unknown' && piece.content !== undefined) return piece.content;
  const path = pathOf(file, context.shell);
  if (literalOf(file) === '-' || path === '/dev/stdin') return context.input;
  return path === undefined ? undefined : context.shell.files.get(path);
}

const mostLines = 200;

function judgeMakefile(content: ShellField, context: JudgeContext): void {
  for (const line of shownOf(content).split('\n').slice(0, mostLines)) {
    for (const code of commandsIn(line)) {
      const finding = code === '' ? undefined : context.findingOf(code.replaceAll('$$', '$'));
      // The variables of make are unknown here, so only refused commands count.
      if (finding?.verdict !== 'refuse' || finding.class === 'unparsed' || finding.class === 'unknown-code') continue;
      context.report('refuse', finding.class, `make: ${finding.reason}`);
    }
  }
}

function commandsIn(line: string): string[] {
  const [, recipe = ''] = /^(?:\t|[^\t#:=]+:[^=;]*;)\s*[@+-]*(.*)$/.exec(line) ?? [];
  const [, called = ''] = /\$[({]shell\s+(.*)[)}]/.exec(line) ?? [];
  const [, assigned = ''] = /!=\s*(.*)$/.exec(line) ?? [];
  return [recipe, called, assigned];
}

/** Judges the scripts of a package.json that the command writes, which are run by name. */
const packageScript: Judge = (_call, context) => {
  const content = contentOf(textField('package.json'), context);
  if (content === undefined) return;
  for (const [, script = ''] of shownOf(content).matchAll(/:\s*"((?:[^"\\]|\\.)*)"/g)) {
    const finding = context.findingOf(script.replaceAll(/\\(.)/g, '$1'));
    if (finding?.verdict === 'refuse' && finding.class !== 'unparsed' && finding.class !== 'unknown-code')
      context.report('refuse', finding.class, `package.json: ${finding.reason}`);
  }
};

export const buildPrograms: Readonly<Record<string, Judge>> = {
  make,
  gmake: make,
  npm: packageScript,
  pnpm: packageScript,
  yarn: packageScript,
  bun: packageScript,
};
