// Brace expansion on the text of a word, as bash does it before anything else: `a{b,c}` is `ab ac`, `{1..3}` is `1 2 3`.
// Quotes, escapes, `${…}` and `$(…)` are not changed. Returns undefined if there would be too many words.

const mostWords = 256;

export function expandBraces(text: string): readonly string[] | undefined {
  const finished: string[] = [];
  const waiting: string[] = [text];
  while (waiting.length > 0) {
    const word = waiting.pop() ?? '';
    const brace = findBrace(word);
    if (brace === undefined) finished.push(word);
    else {
      const head = word.slice(0, brace.start);
      const tail = word.slice(brace.end);
      for (const item of brace.items.toReversed()) waiting.push(head + item + tail);
    }
    if (finished.length + waiting.length > mostWords) return undefined;
  }
  return finished;
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly items: readonly string[];
}

function findBrace(word: string): Brace | undefined {
  for (let start = 0; start < word.length; start = nextPosition(word, start)) {
    if (word[start] !== '{') continue;
    const brace = readBrace(word, start);
    if (brace !== undefined) return brace;
  }
  return undefined;
}

function readBrace(word: string, start: number): Brace | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let place = start; place < word.length; place = nextPosition(word, place)) {
    const character = word[place];
    if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) commas.push(place);
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return toBrace(word, [start, ...commas, place]);
    }
  }
  return undefined;
}

function toBrace(word: string, marks: readonly number[]): Brace | undefined {
  const [start = 0] = marks;
  const end = (marks.at(-1) ?? 0) + 1;
  if (marks.length > 2) {
    return { start, end, items: marks.slice(1).map((mark, index) => word.slice((marks[index] ?? 0) + 1, mark)) };
  }
  const items = readRange(word.slice(start + 1, end - 1));
  return items === undefined ? undefined : { start, end, items };
}

function readRange(text: string): readonly string[] | undefined {
  const [, first = '', last = '', step = '1'] =
    /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(text) ?? [];
  if (first === '' || /\d/.test(first) !== /\d/.test(last)) return undefined;
  const isNumber = /\d/.test(first);
  const from = isNumber ? Number(first) : first.charCodeAt(0);
  const to = isNumber ? Number(last) : last.charCodeAt(0);
  const stride = Math.max(1, Math.abs(Number(step)));
  const count = Math.min(Math.floor(Math.abs(to - from) / stride) + 1, mostWords + 1);
  return Array.from({ length: count }, (_, index) => {
    const value = from + Math.sign(to - from) * stride * index;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}

/** The position after the character, or after a complete quoted text or expansion. */
function nextPosition(word: string, place: number): number {
  const character = word[place];
  if (character === '\\') return place + 2;
  if (character === "'") return closing(word, place + 1, "'");
  if (character === '"' || character === '`') return closing(word, place + 1, character);
  if (character === '$' && (word[place + 1] === '{' || word[place + 1] === '(')) return pastExpansion(word, place + 1);
  return place + 1;
}

function closing(word: string, start: number, quote: string): number {
  for (let place = start; place < word.length; place += 1) {
    if (word[place] === '\\' && quote !== "'") place += 1;
    else if (word[place] === quote) return place + 1;
  }
  return word.length;
}

function pastExpansion(word: string, start: number): number {
  let depth = 0;
  for (let place = start; place < word.length; place += 1) {
    const character = word[place] ?? '';
    if (character === '\\') place += 1;
    else if (character === "'" || character === '"') place = closing(word, place + 1, character) - 1;
    else if (character === '{' || character === '(') depth += 1;
    else if (character === '}' || character === ')') depth -= 1;
    if (depth === 0) return place + 1;
  }
  return word.length;
}
