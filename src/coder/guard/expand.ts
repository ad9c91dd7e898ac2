// Expands a word of the syntax tree to its possible arguments: quotes removed, variables and substitutions inserted as far as
// they are known, braces expanded, unquoted text split. Each alternative is a list of arguments.
// Invariant: the work is bounded. With too many alternatives, the word is unknown.

import type { parse as parseShell, ParsedScript, Word, WordPart } from 'unbash';
import { expandBraces } from './brace.ts';
import { emptyField, joined, numberField, textField, wild, type ShellField, type FieldPiece } from './field.ts';
import { expandParameter } from './parameter.ts';
import type { Shell, Value } from './shell.ts';

export interface Expansion {
  readonly shell: Shell;
  readonly parse: typeof parseShell;
  /** Expands a word without splitting it. */
  single(word: Word): readonly ShellField[];
  /** Judges a command substitution and returns its output. */
  substitute(script: ParsedScript | undefined): ShellField;
  /** Judges the substitutions inside an arithmetic expression. */
  visit(part: WordPart): void;
}

export type Arguments = readonly ShellField[];

const mostAlternatives = 32;
/** A text with more pieces is unknown, because joining them would take quadratic time. */
const mostPieces = 400;

/** A word under construction. `isOpen` distinguishes an empty quoted argument from no argument. */
interface WordDraft {
  readonly fields: readonly ShellField[];
  readonly pieces: readonly FieldPiece[];
  readonly isOpen: boolean;
}

const emptyDraft: WordDraft = { fields: [], pieces: [], isOpen: false };

export function expandWord(word: Word, expansion: Expansion): readonly Arguments[] {
  const { parts } = word;
  if (parts === undefined) return [[tildeField(word.value, word.text, expansion.shell)]];
  if (parts.some(({ type }) => type === 'BraceExpansion')) return expandBraced(word, expansion);
  let drafts: readonly WordDraft[] = [emptyDraft];
  for (const [index, part] of parts.entries()) {
    drafts = drafts.flatMap((draft) => addPart(draft, part, index === 0, expansion));
    if (drafts.length > mostAlternatives) return [[[wild]]];
  }
  return drafts.map(finish);
}

/** Expands a word without splitting it: an assigned value, a redirection, the word of a `case`. */
export function expandSingle(word: Word, expansion: Expansion): readonly ShellField[] {
  const { parts } = word;
  if (parts === undefined) return [tildeField(word.value, word.text, expansion.shell)];
  return expandQuoted(parts, expansion);
}

/** Expands parts as inside double quotes; also for the body of a here-document. */
export function expandQuoted(parts: readonly WordPart[], expansion: Expansion): readonly ShellField[] {
  let drafts: readonly WordDraft[] = [emptyDraft];
  for (const [index, part] of parts.entries()) {
    drafts = drafts.flatMap((draft) => addQuoted(draft, part, index === 0, expansion));
    if (drafts.length > mostAlternatives) return [[wild]];
  }
  return drafts.map((draft) => joinedDraft(draft));
}

function joinedDraft(draft: WordDraft): ShellField {
  const fields = finish(draft);
  return joined(
    fields.flatMap((field, index) => (index === 0 ? field : [{ kind: 'text' as const, text: ' ' }, ...field])),
  );
}

function finish({ fields, pieces, isOpen }: WordDraft): Arguments {
  return pieces.length > 0 || isOpen ? [...fields, joined(pieces)] : fields;
}

/** Brace expansion works on text, so the resulting words are parsed again. */
function expandBraced(word: Word, expansion: Expansion): readonly Arguments[] {
  const words = expandBraces(word.text);
  if (words === undefined) return [[[wild]]];
  let alternatives: readonly Arguments[] = [[]];
  for (const text of words) {
    const [statement] = expansion.parse(`x ${text}`).commands;
    const command = statement?.command;
    const parsed = command?.type === 'Command' ? command.suffix[0] : undefined;
    const made = parsed?.type === 'Word' && !hasBraces(parsed) ? expandWord(parsed, expansion) : [[textField(text)]];
    alternatives = alternatives.flatMap((before) => made.map((fields) => [...before, ...fields]));
    if (alternatives.length > mostAlternatives) return [[[wild]]];
  }
  return alternatives;
}

function hasBraces({ parts }: Word): boolean {
  return parts?.some(({ type }) => type === 'BraceExpansion') ?? false;
}

function addPart(draft: WordDraft, part: WordPart, isFirst: boolean, expansion: Expansion): readonly WordDraft[] {
  switch (part.type) {
    case 'Literal':
      return [added(draft, isFirst ? tildeField(part.value, part.text, expansion.shell) : textField(part.value))];
    case 'Glob':
    case 'ExtendedGlob':
      for (const inner of part.parts ?? []) expansion.visit(inner);
      return [added(draft, [{ kind: 'glob', text: part.text }])];
    case 'DoubleQuoted':
    case 'LocaleString': {
      let drafts: readonly WordDraft[] = [{ ...draft, isOpen: draft.isOpen || !isListOnly(part.parts) }];
      for (const child of part.parts) {
        drafts = drafts.flatMap((each) => addQuoted(each, child, false, expansion)).slice(0, mostAlternatives + 1);
      }
      return drafts;
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return expandParameter(part, expansion, false).map((value) => addUnquoted(draft, value, expansion.shell));
    case 'CommandExpansion':
      return [addUnquoted(draft, [expansion.substitute(part.script)], expansion.shell)];
    default:
      return addQuoted(draft, part, isFirst, expansion);
  }
}

/** An empty `"$@"` expands to no argument. */
function isListOnly(parts: readonly WordPart[]): boolean {
  return parts.length === 1 && /^\$(@|\{@\}|\{\w+\[@\]\})$/.test(parts[0]?.text ?? '');
}

function addQuoted(draft: WordDraft, part: WordPart, isFirst: boolean, expansion: Expansion): readonly WordDraft[] {
  switch (part.type) {
    case 'Literal':
      return [added(draft, isFirst ? tildeField(part.value, part.text, expansion.shell) : textField(part.value))];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ ...added(draft, textField(part.value)), isOpen: true }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return expandQuoted(part.parts, expansion).map((field) => ({ ...added(draft, field), isOpen: true }));
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return expandParameter(part, expansion, true).map((value) => addList(draft, value));
    case 'CommandExpansion':
      return [added(draft, expansion.substitute(part.script))];
    case 'ProcessSubstitution': {
      const content = expansion.substitute(part.script);
      return [added(draft, [{ kind: 'unknown', origin: 'tame', isFilled: true, content }])];
    }
    case 'ArithmeticExpansion':
      expansion.visit(part);
      return [added(draft, numberField)];
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return [added(draft, textField(part.text))];
  }
}

function added(draft: WordDraft, field: ShellField): WordDraft {
  if (draft.pieces.length > mostPieces) return { ...draft, pieces: [wild] };
  return { ...draft, pieces: [...draft.pieces, ...field] };
}

/** Each element is an argument; the first and the last join the adjacent text. */
function addList(draft: WordDraft, value: Value): WordDraft {
  if (value.length === 0) return draft;
  const [first = emptyField, ...others] = value;
  const last = others.pop();
  if (last === undefined) return { ...added(draft, first), isOpen: true };
  return { fields: [...draft.fields, joined([...draft.pieces, ...first]), ...others], pieces: last, isOpen: true };
}

function addUnquoted(draft: WordDraft, value: Value, shell: Shell): WordDraft {
  return value.reduce(
    (current, field, index) => splitInto(index === 0 ? current : closed(current), field, separatorsOf(shell)),
    draft,
  );
}

function closed(draft: WordDraft): WordDraft {
  return { fields: finish(draft), pieces: [], isOpen: false };
}

/** The characters at which unquoted text is split; undefined if they are unknown. */
function separatorsOf(shell: Shell): string | undefined {
  const [value, ...others] = shell.variables.get('IFS') ?? [];
  const pieces = value?.[0] ?? [];
  if (others.length > 0 || pieces.some(({ kind }) => kind !== 'text')) return undefined;
  return pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
}

function splitInto(draft: WordDraft, field: ShellField, separators: string | undefined): WordDraft {
  if (separators === undefined) return added(draft, field.length === 0 ? field : [wild]);
  let current = draft;
  for (const piece of field) {
    if (piece.kind !== 'text') {
      current = added(current, [piece]);
      continue;
    }
    let begun = '';
    for (const character of piece.text) {
      if (!separators.includes(character)) {
        begun += character;
        continue;
      }
      current = closed(added(current, patternField(begun)));
      begun = '';
    }
    current = added(current, patternField(begun));
  }
  return current;
}

/** Unquoted text from a variable is subject to pathname expansion. */
function patternField(text: string): ShellField {
  if (!/[*?[]/.test(text)) return textField(text);
  return text
    .split(/([*?]|\[[^\]]*\])/)
    .filter((part) => part !== '')
    .map((part) => (/^[*?[]/.test(part) ? { kind: 'glob', text: part } : { kind: 'text', text: part }));
}

function tildeField(value: string, source: string, shell: Shell): ShellField {
  if (!source.startsWith('~')) return textField(value);
  const end = value.indexOf('/');
  const user = value.slice(1, end === -1 ? undefined : end);
  const rest = textField(end === -1 ? '' : value.slice(end));
  return joined([...homeOf(user, shell), ...rest]);
}

function homeOf(user: string, shell: Shell): ShellField {
  if (user === '') return shell.variables.get('HOME')?.[0]?.[0] ?? textField(shell.folders.home);
  if (user === '+') return shell.cwd;
  if (user === 'root') return textField('/root');
  return /^[a-z_][\w-]*$/i.test(user) ? textField(`/home/${user}`) : [wild];
}
