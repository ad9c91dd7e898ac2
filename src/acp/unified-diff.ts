// Reads a unified diff of one file, as our file tools show it, into the changes that an editor displays.

export interface FileHunk {
  /** The first line in the new text, from 1. */
  readonly line: number;
  readonly oldText: string;
  readonly newText: string;
}

export interface FileDiff {
  readonly isNewFile: boolean;
  readonly hunks: readonly FileHunk[];
}

const hunkHead = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Undefined if the text is not a complete diff, for example because it was shortened. */
export function parseUnifiedDiff(text: string): FileDiff | undefined {
  const lines = text.split('\n');
  if (lines[0]?.startsWith('--- ') !== true || lines[1]?.startsWith('+++ ') !== true) return undefined;
  const hunks: FileHunk[] = [];
  let at = 2;
  while (at < lines.length && lines[at] !== '') {
    const head = hunkHead.exec(lines[at] ?? '');
    const body =
      head === null ? undefined : readBody(lines, at + 1, { before: sizeOf(head[1]), after: sizeOf(head[3]) });
    if (head === null || body === undefined) return undefined;
    hunks.push({ line: Math.max(1, Number(head[2])), oldText: body.oldText, newText: body.newText });
    at = body.end;
  }
  return { isNewFile: lines[0] === '--- /dev/null', hunks };
}

function sizeOf(count: string | undefined): number {
  return count === undefined ? 1 : Number(count);
}

interface HunkBody {
  readonly oldText: string;
  readonly newText: string;
  /** The index of the line after it. */
  readonly end: number;
}

function readBody(
  lines: readonly string[],
  start: number,
  { before, after }: { readonly before: number; readonly after: number },
): HunkBody | undefined {
  const texts = { before: '', after: '' };
  let [left, right, at] = [before, after, start];
  for (; left > 0 || right > 0 || lines[at]?.startsWith('\\') === true; at += 1) {
    const line = lines[at];
    const sign = line?.[0];
    if (line === undefined || sign === undefined || !' -+\\'.includes(sign)) return undefined;
    if (sign === '\\') removeLineBreak(texts, lines[at - 1] ?? '');
    else {
      if (sign !== '+') texts.before += `${line.slice(1)}\n`;
      if (sign !== '-') texts.after += `${line.slice(1)}\n`;
      left -= sign === '+' ? 0 : 1;
      right -= sign === '-' ? 0 : 1;
    }
  }
  return { oldText: texts.before, newText: texts.after, end: at };
}

/** For "\ No newline at end of file", which follows the line that it describes. */
function removeLineBreak(texts: { before: string; after: string }, line: string): void {
  if (!line.startsWith('+')) texts.before = texts.before.slice(0, -1);
  if (!line.startsWith('-')) texts.after = texts.after.slice(0, -1);
}
