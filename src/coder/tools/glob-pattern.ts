// Matches glob patterns against paths with "/" between names: * ? [a-z] [!a] ** {a,b} and \ to escape a character. It uses no
// regular expressions, so matching takes at most the length of the pattern times the length of the path.

export interface GlobPattern {
  readonly matches: (path: string) => boolean;
}

/** The maximum number of patterns that braces may expand to. */
const mostBranches = 256;

export function parsePattern(pattern: string): GlobPattern {
  const branches = expandBraces(pattern).map((branch) => parseSegments(branch));
  return {
    matches: (path) => {
      const names = path.split('/');
      return branches.some((segments) => matchSegments(segments, names));
    },
  };
}

/** As in .gitignore, where braces are literal. */
export function parseWithoutBraces(pattern: string): GlobPattern {
  const segments = parseSegments(pattern);
  return { matches: (path) => matchSegments(segments, path.split('/')) };
}

/** Whether the text contains a pattern character. */
export function hasWildcard(text: string): boolean {
  return /[*?[{\\]/.test(text);
}

type Segment = 'any-depth' | readonly SegmentPiece[];

/** `any`: any number of characters. A function: one character that it accepts. */
type SegmentPiece = 'any' | ((character: string) => boolean);

function parseSegments(pattern: string): readonly Segment[] {
  return pattern.split('/').map((segment) => (segment === '**' ? 'any-depth' : parseSegment(segment)));
}

function parseSegment(segment: string): SegmentPiece[] {
  const characters = Array.from(segment);
  const pieces: SegmentPiece[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    const end = character === '[' ? characters.indexOf(']', at + (/[!^]/.test(characters[at + 1] ?? '') ? 3 : 2)) : -1;
    if (end !== -1) {
      pieces.push(parseSet(characters.slice(at + 1, end)));
      at = end;
    } else if (character === '*') {
      if (pieces.at(-1) !== 'any') pieces.push('any');
    } else if (character === '?') {
      pieces.push(() => true);
    } else {
      if (character === '\\' && at + 1 < characters.length) at += 1;
      const literal = characters[at] ?? '';
      pieces.push((each) => each === literal);
    }
  }
  return pieces;
}

function parseSet(inside: readonly string[]): SegmentPiece {
  const isNegated = inside[0] === '!' || inside[0] === '^';
  const members = isNegated ? inside.slice(1) : inside;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? '';
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([from, isRange ? (members[at + 2] ?? '') : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== isNegated;
}

function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  // The numbers of names that the segments so far can match.
  let reached = new Set([0]);
  for (const [at, segment] of segments.entries()) {
    const next = new Set<number>();
    for (const taken of reached) {
      if (segment === 'any-depth') {
        // At the end, ** must match at least one name: a/** matches what is in a.
        const least = at === segments.length - 1 ? taken + 1 : taken;
        for (let more = least; more <= names.length; more += 1) next.add(more);
      } else if (taken < names.length && matchName(segment, Array.from(names[taken] ?? ''))) {
        next.add(taken + 1);
      }
    }
    reached = next;
  }
  return reached.has(names.length);
}

/** Backtracks only to the last *, which is sufficient. */
function matchName(pieces: readonly SegmentPiece[], characters: readonly string[]): boolean {
  let piece = 0;
  let at = 0;
  let star = -1;
  let retry = 0;
  while (at < characters.length) {
    const expected = pieces[piece];
    if (expected === 'any') {
      star = piece;
      retry = at;
      piece += 1;
    } else if (expected?.(characters[at] ?? '')) {
      piece += 1;
      at += 1;
    } else if (star !== -1) {
      retry += 1;
      at = retry;
      piece = star + 1;
    } else {
      return false;
    }
  }
  while (pieces[piece] === 'any') piece += 1;
  return piece === pieces.length;
}

function expandBraces(pattern: string): string[] {
  let open = [pattern];
  for (;;) {
    const next = open.flatMap(expandFirstBrace);
    if (next.length === open.length || next.length > mostBranches) return open;
    open = next;
  }
}

/** Innermost first. Braces without a comma are literal. */
function expandFirstBrace(pattern: string): string[] {
  const found = /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (found === null) return [pattern];
  const before = pattern.slice(0, found.index);
  const after = pattern.slice(found.index + found[0].length);
  return (found[1] ?? '').split(',').map((choice) => before + choice + after);
}
