// A shell field: what is known about one argument without running anything. It is a sequence of pieces, each of which is
// text, a glob pattern, or unknown with an origin.

/**
 * How far an unknown piece can be trusted. `number`: digits. `tame`: output of a program that is harmless as a path or name
 * (`git rev-parse`, `mktemp`). `environment`: a variable set before the command. `network`: downloaded. `endless`: infinite
 * output. `wild`: anything.
 */
export type FieldOrigin = 'number' | 'tame' | 'environment' | 'network' | 'endless' | 'wild';

export interface Unknown {
  readonly kind: 'unknown';
  readonly origin: FieldOrigin;
  /** The name of the variable. */
  readonly name?: string;
  /** Cannot be empty: `${NAME:?}/x` is never `/x`. */
  readonly isFilled?: boolean;
  /** The content of the file, for a process substitution. */
  readonly content?: ShellField;
}

export type FieldPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'glob'; readonly text: string }
  | Unknown;

export type ShellField = readonly FieldPiece[];

export const wild: Unknown = { kind: 'unknown', origin: 'wild' };
export const tame: Unknown = { kind: 'unknown', origin: 'tame', isFilled: true };
const digits: Unknown = { kind: 'unknown', origin: 'number', isFilled: true };
export const numberField: ShellField = [digits];
export const emptyField: ShellField = [];

export function textField(text: string): ShellField {
  return text === '' ? emptyField : [{ kind: 'text', text }];
}

/** The text, if it is completely known. */
export function literalOf(field: ShellField): string | undefined {
  let text = '';
  for (const piece of field) {
    if (piece.kind !== 'text') return undefined;
    text += piece.text;
  }
  return text;
}

/** The argument as text, with `…` for unknown pieces. For messages and for parsing options. */
export function shownOf(field: ShellField): string {
  return field.map((piece) => (piece.kind === 'unknown' ? nameOf(piece) : piece.text)).join('');
}

function nameOf({ name, origin }: Unknown): string {
  if (name !== undefined) return `$${name}`;
  return origin === 'number' ? '0' : '…';
}

/** The known text at the start of a field. */
export function prefixOf(field: ShellField): string {
  let text = '';
  for (const piece of field) {
    if (piece.kind !== 'text') return text;
    text += piece.text;
  }
  return text;
}

/** The field without its first `length` characters, which must be known. */
export function withoutPrefix(field: ShellField, length: number): ShellField {
  let left = length;
  return field.flatMap((piece): FieldPiece[] => {
    if (left === 0 || piece.kind !== 'text') return [piece];
    const cut = Math.min(left, piece.text.length);
    left -= cut;
    return cut === piece.text.length ? [] : [{ kind: 'text', text: piece.text.slice(cut) }];
  });
}

const trust: readonly FieldOrigin[] = ['number', 'tame', 'environment', 'network', 'endless', 'wild'];

/** The least trusted origin among its pieces; undefined if nothing is unknown. */
export function originOf(field: ShellField): FieldOrigin | undefined {
  let worst = -1;
  for (const piece of field) if (piece.kind === 'unknown') worst = Math.max(worst, trust.indexOf(piece.origin));
  return trust[worst];
}

/** Merges adjacent texts. */
export function joined(pieces: Iterable<FieldPiece>): ShellField {
  const field: FieldPiece[] = [];
  for (const piece of pieces) {
    const last = field.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text') {
      field[field.length - 1] = { kind: 'text', text: last.text + piece.text };
    } else if (piece.kind !== 'text' || piece.text !== '') {
      field.push(piece);
    }
  }
  return field;
}

/** Joins fields with spaces, as `"$*"` and `eval` do. */
export function spaced(fields: readonly ShellField[]): ShellField {
  return joined(fields.flatMap((field, index) => (index === 0 ? field : [...textField(' '), ...field])));
}
