// Parses the import table from docs/ARCHITECTURE.md, so that the test and the document cannot differ.

export type ImportTable = ReadonlyMap<string, ReadonlySet<string>>;

/** Finds the table headed `| folder | may import |`. Cells name folders; a remark in parentheses is skipped. */
export function parseImportTable(markdown: string): ImportTable {
  const lines = markdown.split('\n').map((line) => line.trim());
  const header = lines.findIndex((line) => /^\|\s*folder\s*\|\s*may import\s*\|$/i.test(line));
  if (header === -1) throw new Error('found no table headed "| folder | may import |"');
  const body = lines.slice(header + 2);
  const end = body.findIndex((line) => !line.startsWith('|'));
  const rows = (end === -1 ? body : body.slice(0, end)).map(parseRow);
  const folders = new Set(rows.flatMap(([names]) => names));
  return new Map(rows.flatMap(([names, allowed]) => names.map((name) => [name, toFolders(allowed, folders)] as const)));
}

function parseRow(line: string): [names: string[], allowed: string[]] {
  const [, names = '', allowed = ''] = line.split('|');
  return [parseCell(names), parseCell(allowed)];
}

function parseCell(cell: string): string[] {
  return cell
    .replaceAll(/\([^)]*\)|`/g, '')
    .split(',')
    .map((name) => name.trim().replace(/\/$/, ''))
    .filter((name) => name !== '');
}

function toFolders(names: readonly string[], folders: ReadonlySet<string>): ReadonlySet<string> {
  if (names.join() === 'nothing') return new Set();
  if (names.join() === 'everything') return folders;
  const unknown = names.find((name) => !folders.has(name));
  if (unknown !== undefined) throw new Error(`the import table names "${unknown}", which has no row`);
  return new Set(names);
}
