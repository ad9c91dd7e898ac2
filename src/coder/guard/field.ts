// What is known of one argument without running anything: a row of pieces that are text, a pattern the shell would
// match against files, or unknown. It does not know where the pieces come from beyond their origin.

/**
 * How far something unknown can be trusted. `number`: digits. `tame`: printed by a program whose output is harmless as a
 * path or name (`git rev-parse`, `mktemp`). `environment`: a variable set before the command. `network`: downloaded.
 * `endless`: printed without end. `wild`: anything, chosen by anybody.
 */
export type FieldOrigin = 'number' | 'tame' | 'environment' | 'network' | 'endless' | 'wild';

export interface Unknown {
  readonly kind: 'unknown';
  readonly origin: FieldOrigin;
  /** The variable. */
  readonly name?: string;
  /** Cannot be empty, so that `${NAME:?}/x` never is `/x`. */
  readonly isFilled?: boolean;
  /** What reading the file yields, for the pipe of a process substitution. */
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

/** The text, when it is wholly known. */
export function literalOf(field: ShellField): string | undefined {
  let text = '';
  for (const piece of field) {
    if (piece.kind !== 'text') return undefined;
    text += piece.text;
  }
  return text;
}

/** As it would be passed when no file matches; unknown parts as `…`. For telling, and for options. */
export function shownOf(field: ShellField): string {
  return field.map((piece) => (piece.kind === 'unknown' ? nameOf(piece) : piece.text)).join('');
}

function nameOf({ name, origin }: Unknown): string {
  if (name !== undefined) return `$${name}`;
  return origin === 'number' ? '0' : '…';
}

/** The known text a field begins with. */
export function prefixOf(field: ShellField): string {
  let text = '';
  for (const piece of field) {
    if (piece.kind !== 'text') return text;
    text += piece.text;
  }
  return text;
}

/** The field without its first characters, which must be known. */
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

/** The least trusted origin in it, if anything is unknown. */
export function originOf(field: ShellField): FieldOrigin | undefined {
  let worst = -1;
  for (const piece of field) if (piece.kind === 'unknown') worst = Math.max(worst, trust.indexOf(piece.origin));
  return trust[worst];
}

/** Neighbouring texts become one. */
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

/** Fields with blanks between them, as `"$*"` and `eval` join them. */
export function spaced(fields: readonly ShellField[]): ShellField {
  return joined(fields.flatMap((field, index) => (index === 0 ? field : [...textField(' '), ...field])));
}
