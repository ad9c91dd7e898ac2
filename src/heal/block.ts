// Code in a block of three quotes or a fence: without the line breaks that only set it off, and without the
// indentation all its lines share.

export function dedent(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  if (lines[0]?.trim() === '') lines.shift();
  if (lines.at(-1)?.trim() === '') lines.pop();
  let shared = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line.trim() !== '') shared = Math.min(shared, line.length - line.trimStart().length);
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(shared))).join('\n');
}
