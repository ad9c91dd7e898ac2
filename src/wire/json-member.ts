// Finds and replaces the value of a member in the text of a JSON object, without changing any other character. For
// documents that pass unchanged except for one value. The text must be valid JSON.

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The place of the value of a member of the object that begins at `at`; undefined if there is none. */
export function findMember(text: string, name: string, at = 0): TextSpan | undefined {
  let position = skipSpace(text, at);
  if (text[position] !== '{') return undefined;
  position = skipSpace(text, position + 1);
  while (text[position] === '"') {
    const nameEnd = stringEnd(text, position);
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    if (isNamed(text, { start: position, end: nameEnd }, name)) return { start, end };
    position = skipSpace(text, end);
    if (text[position] !== ',') return undefined;
    position = skipSpace(text, position + 1);
  }
  return undefined;
}

export function replaceSpan(text: string, { start, end }: TextSpan, value: string): string {
  return text.slice(0, start) + value + text.slice(end);
}

function isNamed(text: string, { start, end }: TextSpan, name: string): boolean {
  const written = text.slice(start, end);
  return written === `"${name}"` || (written.includes('\\') && JSON.parse(written) === name);
}

function skipSpace(text: string, at: number): number {
  let position = at;
  while (/[ \t\r\n]/.test(text[position] ?? '')) position++;
  return position;
}

/** The position after a string that begins at `at`. */
function stringEnd(text: string, at: number): number {
  let position = at + 1;
  while (position < text.length && text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

/** The position after a value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (let position = at; position < text.length; position++) {
    const character = text[position];
    if (character === '"') {
      position = stringEnd(text, position) - 1;
    } else if (character === '{' || character === '[') {
      depth++;
    } else if (character === '}' || character === ']') {
      if (depth === 0) return position;
      depth--;
    } else if (depth === 0 && (character === ',' || /\s/.test(character as string))) {
      return position;
    }
    if (depth === 0 && (character === '"' || character === '}' || character === ']')) return position + 1;
  }
  return text.length;
}
