// Variables that make programs run code or that change the meaning of commands. Setting any other variable is allowed.

import { literalOf, shownOf, type ShellField } from './field.ts';
import type { JudgeContext } from './judge-context.ts';

/** A program runs their value as a command. */
const executed =
  /^(BASH_ENV|ENV|PROMPT_COMMAND|GIT_(SSH|SSH_COMMAND|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND|EXEC_PATH|CONFIG_\w+)|(SSH|SUDO)_ASKPASS|PAGER|MANPAGER|EDITOR|VISUAL|FCEDIT|BROWSER|LESSOPEN|LESSCLOSE|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|JAVA_TOOL_OPTIONS|PS[0-4]|RSYNC_RSH|CVS_RSH)$/;

/** They load code into every program that starts. */
const injected = /^(LD_(PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)$/;

/** PATH entries in which anyone may create programs: the working directory and world-writable folders. */
const openFolder = /^(\.?|\/tmp|\/var\/tmp|\/dev\/shm)\/?$/;

const harmless = /^(true|:|cat|less|more|vi|vim|nvim|nano|emacs|code( --wait)?|ssh( -[46vqTnN])*|bat|delta|)$/;

export function judgeVariable(name: string, value: ShellField, context: JudgeContext): void {
  const text = literalOf(value);
  if (injected.test(name)) context.report('ask', 'hidden-execution', `${name}: changes what every program does`);
  if (
    name === 'PATH' &&
    shownOf(value)
      .split(':')
      .some((entry) => openFolder.test(entry))
  ) {
    context.report('ask', 'hidden-execution', `${name}: commands are searched for in a folder that anyone can write`);
  }
  if (
    name === 'NODE_OPTIONS' &&
    /(^|\s)(-r|--require|--import|--loader|--experimental-loader|--eval|-e)\b/.test(shownOf(value))
  ) {
    context.report('ask', 'hidden-execution', `${name}: loads code into every Node program`);
  }
  if (!executed.test(name) || (text !== undefined && harmless.test(text))) return;
  if (name === 'BASH_ENV' || name === 'ENV')
    context.report('refuse', 'hidden-execution', `${name}: runs a file in every shell`);
  const finding = context.findingOf(text ?? shownOf(value));
  if (finding?.verdict === 'refuse') context.report('refuse', finding.class, `${name}: ${finding.reason}`);
  else context.report('ask', 'hidden-execution', `${name}: its value is run as a command`);
}

const secretName = /(^|_)(KEY|APIKEY|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT)(_|$)/i;

/** The name of a variable in the field that looks secret. */
export function secretIn(field: ShellField): string | undefined {
  for (const piece of field) {
    if (piece.kind === 'unknown' && piece.origin === 'environment' && secretName.test(piece.name ?? ''))
      return piece.name;
  }
  return undefined;
}
