// Redirections of a command: what it reads, and where its output goes. Descriptors above 2 are modelled as the files
// /dev/fd/N, so that a later command that opens one finds its content.

import type { RedirectDescriptor, Redirection, Word } from 'unbash';
import { judgeAction } from './action.ts';
import type { WordScope } from './assign.ts';
import { expandQuoted } from './expand.ts';
import { emptyField, joined, literalOf, tame, textField, wild, type ShellField } from './field.ts';
import { pathOf } from './path-kind.ts';
import type { Output } from './judge-context.ts';
import type { Shell } from './shell.ts';

export interface RedirectionScope extends WordScope {
  readonly input: ShellField | undefined;
  /** `exec` without a command: the redirections apply to everything that follows. */
  readonly isLasting: boolean;
}

export interface WrittenFile {
  readonly path: string;
  readonly isAppended: boolean;
}

export class Redirections {
  readonly #scope: RedirectionScope;
  readonly #written: WrittenFile[] = [];
  #input: ShellField | undefined;

  constructor(redirects: readonly Redirection[], scope: RedirectionScope) {
    this.#scope = scope;
    this.#input = scope.input;
    for (const redirect of redirects) this.#open(redirect);
  }

  /** The standard input of the command. */
  get input(): ShellField | undefined {
    return this.#input;
  }

  /** Records the output in the redirected files, and returns what remains on standard output. */
  close(output: Output): Output {
    const { files, links } = this.#scope.shell;
    const lasting = links.get(fileOf(1));
    const written = this.#written.length === 0 && lasting !== undefined ? [appended(lasting)] : this.#written;
    for (const { path, isAppended } of written) {
      files.set(path, isAppended ? joined([...(files.get(path) ?? emptyField), ...output]) : output);
    }
    return this.#written.length > 0 ? emptyField : output;
  }

  #open(redirect: Redirection): void {
    if (redirect.type === 'HereString') return this.#feed(redirect.descriptor, this.#hereString(redirect.target));
    if (redirect.type === 'HereDoc') return this.#feed(redirect.descriptor, this.#hereDocument(redirect));
    const { target, operator, descriptor } = redirect;
    if (target === undefined) return;
    for (const field of this.#scope.expansion.single(target)) {
      const number = /^[<>]&$/.test(operator) ? /^(\d+)-?$|^-$/.exec(literalOf(field) ?? '') : null;
      if (number !== null) this.#duplicate(operator, Number(number[1] ?? -1), descriptor);
      else if (operator === '<' || operator === '<&') this.#read(field, descriptor);
      else this.#write(field, operator.includes('>>'), descriptor);
    }
  }

  #read(field: ShellField, descriptor: RedirectDescriptor | undefined): void {
    const { shell, context } = this.#scope;
    judgeAction('read', field, context);
    this.#feed(descriptor, contentOf(field, pathOf(field, shell), shell));
  }

  #write(field: ShellField, isAppended: boolean, descriptor: RedirectDescriptor | undefined): void {
    const { shell, context, isLasting } = this.#scope;
    judgeAction('write', field, context);
    const path = pathOf(field, shell);
    if (path === undefined) return;
    this.#written.push({ path, isAppended });
    const number = this.#numberOf(descriptor, 1);
    if (number > 2 || isLasting) shell.links.set(fileOf(number), path);
  }

  #duplicate(operator: string, from: number, descriptor: RedirectDescriptor | undefined): void {
    const { files, links } = this.#scope.shell;
    const path = links.get(fileOf(from));
    if (operator === '>&' && path !== undefined && from > 2) this.#written.push(appended(path));
    const content = from === 0 ? this.#input : files.get(path ?? fileOf(from));
    if (operator === '<&' && content !== undefined) this.#feed(descriptor, content);
  }

  #feed(descriptor: RedirectDescriptor | undefined, content: ShellField): void {
    const { shell, isLasting } = this.#scope;
    const number = this.#numberOf(descriptor, 0);
    if (number > 2 || isLasting) shell.files.set(fileOf(number), content);
    // To be safe, also for other descriptors.
    if (number === 0 || this.#input === undefined) this.#input = content;
  }

  /** For `{name}<` the shell chooses the number. */
  #numberOf(descriptor: RedirectDescriptor | undefined, usual: number): number {
    if (descriptor === undefined) return usual;
    if (descriptor.type === 'FileDescriptor') return descriptor.value;
    this.#scope.shell.assign(descriptor.name, [textField(String(chosenNumber))]);
    return chosenNumber;
  }

  #hereString(target: Word | undefined): ShellField {
    const fields = target === undefined ? [] : this.#scope.expansion.single(target);
    return fields.length === 1 ? joined([...(fields[0] ?? emptyField), ...textField('\n')]) : [wild];
  }

  #hereDocument({ body, delimiter }: Extract<Redirection, { type: 'HereDoc' }>): ShellField {
    if (delimiter?.quoted === true || body.parts === undefined) return textField(body.text);
    const fields = expandQuoted(body.parts, this.#scope.expansion);
    return fields.length === 1 ? (fields[0] ?? emptyField) : [wild];
  }
}

const chosenNumber = 10;

function fileOf(descriptor: number): string {
  return `/dev/fd/${descriptor}`;
}

function appended(path: string): WrittenFile {
  return { path, isAppended: true };
}

/** The input that `exec <` set for everything after it. */
export function lastingInput({ files }: Shell): ShellField | undefined {
  return files.get(fileOf(0));
}

/** A file that existed before the command counts as the user's own. */
function contentOf(field: ShellField, path: string | undefined, { files }: Shell): ShellField {
  const [piece] = field;
  if (piece?.kind === 'unknown' && piece.content !== undefined) return piece.content;
  if (path !== undefined && /^\/dev\/(zero|u?random|full)$/.test(path)) return [{ kind: 'unknown', origin: 'endless' }];
  return (path === undefined ? undefined : files.get(path)) ?? [tame];
}
