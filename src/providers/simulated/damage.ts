// Named ways to damage JSON text, as models do it. Deterministic: `random` (0 up to 1) is the only chance there is.
// Imports nothing, so that tests of healing can use it alone.
// Invariants:
//   1. The words of the value stay readable: a person could still say what was meant.
//   2. A text that offers no place for a damage is returned as it was.

export type Damage = (text: string, random: () => number) => string;

interface Token {
  readonly kind: 'string' | 'key' | 'scalar' | 'mark' | 'space' | 'other';
  readonly text: string;
}

export const damages = {
  fence: (text) => `\`\`\`json\n${text}\n\`\`\``,
  'unclosed-fence': (text) => `\`\`\`json\n${text}`,
  prose: (text, random) => `${pick(openings, random)}\n\n${text}\n\n${pick(closings, random)}`,
  'trailing-comma': (text, random) => {
    const tokens = tokenize(text);
    const place = pickIndex(tokens, isFilledCloser, random);
    return join(tokens, place, (closer) => `,${closer}`);
  },
  'single-quotes': (text) => mapStrings(text, (inner) => `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`),
  'unquoted-keys': (text) => rewrite(text, (token) => (isPlainKey(token) ? inside(token) : token.text)),
  'python-literals': (text) => rewrite(text, (token) => pythonWords[token.text] ?? token.text),
  comments: (text, random) => {
    const tokens = tokenize(text);
    const place = pickIndex(tokens, (token) => token.kind === 'mark' && '{[,'.includes(token.text), random);
    return join(tokens, place, (mark) => `${mark}${pick([' // see above\n', ' /* as asked */ '], random)}`);
  },
  'missing-comma': (text, random) => {
    const tokens = tokenize(text);
    return join(
      tokens,
      pickIndex(tokens, (token) => token.text === ',' && token.kind === 'mark', random),
      () => '',
    );
  },
  'missing-closer': (text) => {
    const tokens = tokenize(text);
    return join(
      tokens,
      tokens.findLastIndex((token) => isMark(token, ']}')),
      () => '',
    );
  },
  truncated: (text, random) => text.slice(0, Math.max(1, Math.floor(text.length * (0.3 + 0.65 * random())))),
  'smart-quotes': (text) => mapStrings(text, (inner) => `“${inner}”`),
  'raw-newline': rawNewline,
  'think-decoy': (text, random) => `<think>\n${pick(thoughts, random)}\n</think>\n${text}`,
} as const satisfies Readonly<Record<string, Damage>>;

export type DamageKind = keyof typeof damages;

export const damageKinds = Object.keys(damages) as readonly DamageKind[];

export function damageText(kind: DamageKind, text: string, random: () => number): string {
  return damages[kind](text, random);
}

const openings = [
  'Sure! Here is the JSON you asked for:',
  'Of course. I filled in every field [as requested]:',
  'Here you go {all fields included}:',
];
const closings = [
  'Let me know if you need anything else!',
  'I hope this helps. [1] Some values are examples.',
  'Tell me if a field should change.',
];
const thoughts = [
  'The user wants JSON. Maybe {"draft": true}? No, it needs every field.',
  'First idea: [1, 2, 3]. That does not fit the schema, so I start again.',
  'Something like {"answer": "?"} would be too short.',
];
const pythonWords: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Escaped line breaks become real ones; where there is none, the first text value gets one. */
function rawNewline(text: string): string {
  const withBreaks = rewrite(text, (token) =>
    token.kind === 'string' ? token.text.replaceAll(/(?<!\\)((?:\\\\)*)\\n/gu, '$1\n') : token.text,
  );
  if (withBreaks !== text) return withBreaks;
  const tokens = tokenize(text);
  const place = tokens.findIndex((token) => token.kind === 'string');
  return join(tokens, place, (value) => (value.includes(' ') ? value.replace(' ', '\n') : `${value.slice(0, -1)}\n"`));
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|[-+\d.][-+\d.eE]*|[a-z]+|[{}[\],:]|\s+|./gsu)) {
    tokens.push({ kind: kindOf(part), text: part });
  }
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'string' && nextMark(tokens, index) === ':') tokens[index] = { kind: 'key', text: token.text };
  }
  return tokens;
}

function kindOf(part: string): Token['kind'] {
  if (part.length > 1 && part.startsWith('"')) return 'string';
  if (/^[{}[\],:]$/u.test(part)) return 'mark';
  if (/^\s/u.test(part)) return 'space';
  return /^(?:[-\d]|true$|false$|null$)/u.test(part) ? 'scalar' : 'other';
}

function nextMark(tokens: readonly Token[], index: number): string | undefined {
  const next = tokens[index + 1];
  return next?.kind === 'space' ? tokens[index + 2]?.text : next?.text;
}

function isMark(token: Token, marks: string): boolean {
  return token.kind === 'mark' && marks.includes(token.text);
}

function isFilledCloser(token: Token, index: number, tokens: readonly Token[]): boolean {
  const before = tokens[index - 1]?.kind === 'space' ? tokens[index - 2] : tokens[index - 1];
  return isMark(token, ']}') && before !== undefined && !isMark(before, '[{');
}

function isPlainKey(token: Token): boolean {
  return token.kind === 'key' && /^"[A-Za-z_$][\w$]*"$/u.test(token.text);
}

function inside(token: Token): string {
  return token.text.slice(1, -1);
}

function rewrite(text: string, change: (token: Token) => string): string {
  return tokenize(text).map(change).join('');
}

function mapStrings(text: string, change: (inner: string) => string): string {
  return rewrite(text, (token) =>
    token.kind === 'string' || token.kind === 'key' ? change(inside(token)) : token.text,
  );
}

/** The text again, with the token at `place` changed; a place of -1 changes nothing. */
function join(tokens: readonly Token[], place: number, change: (text: string) => string): string {
  return tokens.map((token, index) => (index === place ? change(token.text) : token.text)).join('');
}

function pickIndex(
  tokens: readonly Token[],
  accepts: (token: Token, index: number, tokens: readonly Token[]) => boolean,
  random: () => number,
): number {
  const places = [...tokens.keys()].filter((index) => accepts(tokens[index]!, index, tokens));
  return places.length === 0 ? -1 : pick(places, random);
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.min(list.length - 1, Math.floor(random() * list.length))]!;
}
