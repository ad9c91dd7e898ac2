// Explains why old_str was not found in a file: white space, a line that differs, or the most similar line. Searches a
// bounded part of long files.

const mostLines = 20_000;
const longestShown = 200;

export function hintFor(missing: string, content: string): string {
  const wanted = missing.split('\n');
  const lines = content.split('\n', mostLines);
  return hintOfEscapes(missing, content) ?? hintOfSpaces(wanted, lines) ?? hintOfLines(wanted, lines);
}

function hintOfEscapes(missing: string, content: string): string | undefined {
  const meant = missing.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
  if (meant === missing || !content.includes(meant)) return undefined;
  return 'It matches if \\n, \\t or \\" in old_str are line breaks, tabs or quotes: escape them once, not twice.';
}

/** The same lines except for white space. */
function hintOfSpaces(wanted: readonly string[], lines: readonly string[]): string | undefined {
  const plain = trimBlank(wanted.map(squeeze));
  if (plain.length === 0) return 'old_str is only white space.';
  const start = lines.findIndex((_, at) => plain.every((line, offset) => squeeze(lines[at + offset] ?? '') === line));
  if (start === -1) return undefined;
  const place = plain.length === 1 ? `line ${start + 1}` : `lines ${start + 1} to ${start + plain.length}`;
  return `It differs from ${place} only in white space. The file contains: ${show(lines.slice(start, start + plain.length).join('\n'))}`;
}

function hintOfLines(wanted: readonly string[], lines: readonly string[]): string {
  const plain = trimBlank(wanted.map(squeeze));
  const best = nearestLine(plain[0] ?? '', lines);
  if (best === undefined) return 'Nothing in the file is similar; Read the file again.';
  const differing = plain.findIndex((line, offset) => squeeze(lines[best + offset] ?? '') !== line);
  if (differing <= 0) return `The most similar line is line ${best + 1}: ${show(lines[best] ?? '')}`;
  const here = lines[best + differing];
  const has = here === undefined ? 'does not exist, because the file ends' : `is: ${show(here)}`;
  return `Its first ${differing} ${differing === 1 ? 'line matches' : 'lines match'} from line ${best + 1}, but line ${best + differing + 1} of the file ${has}`;
}

function nearestLine(wanted: string, lines: readonly string[]): number | undefined {
  const exact = lines.findIndex((line) => squeeze(line) === wanted);
  if (exact !== -1) return exact;
  const pairs = pairsOf(wanted);
  let best: number | undefined;
  let most = 0.5;
  for (const [at, line] of lines.entries()) {
    const similarity = similarityOf(pairs, pairsOf(squeeze(line)));
    if (similarity > most) [best, most] = [at, similarity];
  }
  return best;
}

/** Similarity of two texts from 0 to 1, by pairs of adjacent characters (Dice coefficient). */
function similarityOf(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const pair of right) if (left.has(pair)) shared += 1;
  return (2 * shared) / (left.size + right.size);
}

function pairsOf(text: string): ReadonlySet<string> {
  const lower = text.slice(0, longestShown).toLowerCase();
  return new Set(Array.from({ length: Math.max(0, lower.length - 1) }, (_, at) => lower.slice(at, at + 2)));
}

function squeeze(line: string): string {
  return line.replaceAll(/\s+/g, ' ').trim();
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line !== '');
  const end = lines.findLastIndex((line) => line !== '');
  return start === -1 ? [] : lines.slice(start, end + 1);
}

function show(text: string): string {
  return JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text);
}
