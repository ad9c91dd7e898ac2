// A JSON text that is being damaged: its tokens, each with its path in the document, and the values that healing may
// return. A damage is a function from one draft to the next. It changes the accepted values together with the text, based
// on the document and never by parsing the damaged text.

import { isRecord, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { alternativesAt, type Alternative, type ValuePath } from './accepted-values.ts';

type TokenRole = 'open' | 'close' | 'comma' | 'colon' | 'key' | 'string' | 'number' | 'literal' | 'space' | 'extra';

export interface Token {
  readonly role: TokenRole;
  /** The source text. For a key or a string, the escaped text between the quotes. */
  readonly text: string;
  readonly quotes: readonly [opening: string, closing: string];
  /** The path of the value, for a value and its key. The path of the container, for punctuation. */
  readonly path: ValuePath;
  /** Damaged, or next to a damaged token. Further damage must use other tokens. */
  readonly touched: boolean;
}

export interface DamageDraft {
  readonly tokens: readonly Token[];
  /** Every sensible reading of the text. Empty if the original text was not JSON. */
  readonly accepted: readonly JsonValue[];
  readonly schema: JsonSchema | undefined;
}

export const styles = ['minified', 'spaced', 'pretty'] as const;
export type Style = (typeof styles)[number];

const noQuotes = ['', ''] as const;
export const plainQuotes = ['"', '"'] as const;

export function draftText(text: string): DamageDraft {
  try {
    return { tokens: tokenize(text), accepted: [JSON.parse(text) as JsonValue], schema: undefined };
  } catch {
    return { tokens: [extra(text)], accepted: [], schema: undefined };
  }
}

export function draftDocument(value: JsonValue, schema: JsonSchema, style: Style): DamageDraft {
  const tokens = tokenize(JSON.stringify(value, null, style === 'pretty' ? 2 : 0));
  return { tokens: style === 'spaced' ? spaced(tokens) : tokens, accepted: [value], schema };
}

export function toText({ tokens }: DamageDraft): string {
  return tokens.map(({ text, quotes: [opening, closing] }) => opening + text + closing).join('');
}

export function extra(text: string): Token {
  return { role: 'extra', text, quotes: noQuotes, path: [], touched: false };
}

export function around(draft: DamageDraft, before: string, after: string): DamageDraft {
  return { ...draft, tokens: [extra(before), ...draft.tokens, extra(after)] };
}

export function isQuoted({ role }: Token): boolean {
  return role === 'key' || role === 'string';
}

export function isValue({ role }: Token): boolean {
  return role === 'string' || role === 'number' || role === 'literal';
}

/** The unescaped text of a key or a string. */
export function textOf({ text }: Token): string {
  return unescapeText(text);
}

/** Like JSON, but for any quotes. An incomplete escape at the end is dropped. */
export function unescapeText(body: string): string {
  return body.replaceAll(/\\(?:u([\da-f]{4})|u[\da-f]{0,3}$|(.)|$)/gisu, (_, unit?: string, sign?: string) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    return sign === undefined ? '' : (signs[sign] ?? sign);
  });
}

const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The indices of undamaged tokens that `accepts` returns true for. */
export function undamaged(draft: DamageDraft, accepts: (token: Token, index: number) => boolean): number[] {
  const found: number[] = [];
  for (const [index, token] of draft.tokens.entries()) {
    if (!token.touched && accepts(token, index)) found.push(index);
  }
  return found;
}

/** The nearest token before (-1) or after (1) that is not white space; undefined at the ends. */
export function beside({ tokens }: Pick<DamageDraft, 'tokens'>, index: number, step: -1 | 1): Token | undefined {
  let at = index + step;
  while (tokens[at]?.role === 'space') at += step;
  return tokens[at];
}

/** Replaces one token by others and marks them and their neighbors as touched. */
export function replace(draft: DamageDraft, index: number, ...tokens: readonly Token[]): DamageDraft {
  const isNear = (other: number): boolean => Math.abs(other - index) <= reach;
  return {
    ...draft,
    tokens: draft.tokens.flatMap((token, other) => {
      if (other === index) return tokens.map((each) => ({ ...each, touched: true }));
      return isNear(other) ? [{ ...token, touched: true }] : [token];
    }),
  };
}

/** The tokens of one member (comma, space, key, colon, space, value), so that it is damaged only once. */
const reach = 5;

/** Replaces every token for which `change` returns one. Undefined if nothing changes. */
export function mapTokens(
  draft: DamageDraft,
  change: (token: Token, index: number) => Token | undefined,
): DamageDraft | undefined {
  let isChanged = false;
  const tokens = draft.tokens.map((token, index) => {
    const next = change(token, index);
    isChanged ||= next !== undefined;
    return next ?? token;
  });
  return isChanged ? { ...draft, tokens } : undefined;
}

/** Replaces every accepted value by one copy for each alternative at `path`. */
export function accept(draft: DamageDraft, path: ValuePath, alternatives: readonly Alternative[]): DamageDraft {
  return { ...draft, accepted: draft.accepted.flatMap((value) => alternativesAt(value, path, alternatives)) };
}

export function valueAt(draft: DamageDraft, path: ValuePath): JsonValue | undefined {
  let value: JsonValue | undefined = draft.accepted[0];
  for (const key of path) value = (value as Readonly<Record<string | number, JsonValue>> | undefined)?.[key];
  return value;
}

/** The schema at a path, without resolving alternatives; undefined if there is none. */
export function schemaAt({ schema }: DamageDraft, path: ValuePath): JsonSchema | undefined {
  let current: unknown = schema;
  for (const key of path) {
    if (!isRecord(current)) return undefined;
    const properties = isRecord(current['properties']) ? current['properties'] : {};
    current = typeof key === 'number' ? current['items'] : properties[key];
  }
  return isRecord(current) ? (current as JsonSchema) : undefined;
}

/** Whether the string may be any text: not an enum value, a date or a pattern. */
export function isFreeText(draft: DamageDraft, { role, path }: Token): boolean {
  if (role !== 'string') return false;
  if (draft.schema === undefined) return true;
  const schema = schemaAt(draft, path);
  return schema !== undefined && schema['type'] === 'string' && Object.keys(schema).length === 1;
}

function spaced(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    if (token.role !== 'comma' && token.role !== 'colon') return [token];
    return [token, { ...token, role: 'space' as const, text: ' ' }];
  });
}

/** `text` must be valid JSON. */
function tokenize(text: string): Token[] {
  const tokenizer = new Tokenizer();
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"|[-+\d.eE]+|[a-z]+|[{}[\],:]|\s+/gsu)].map(([part]) =>
    tokenizer.read(part),
  );
}

/** Follows a JSON text token by token and tracks the path. */
class Tokenizer {
  readonly #path: (string | number)[] = [];
  /** Whether the next string is a key, for each open container. */
  readonly #expectsKey: boolean[] = [];

  read(part: string): Token {
    const first = part.charAt(0);
    if (first === '{' || first === '[') return this.#open(part);
    if (first === '}' || first === ']') return this.#close(part);
    if (first === ',') return this.#next(part);
    if (first === ':') return this.#token('colon', part, this.#path.slice(0, -1));
    if (first === '"') return this.#quoted(part.slice(1, -1));
    if (/\s/u.test(first)) return this.#token('space', part);
    return this.#token(/[a-z]/u.test(first) ? 'literal' : 'number', part);
  }

  #token(role: TokenRole, text: string, path: ValuePath = [...this.#path]): Token {
    return { role, text, quotes: noQuotes, path, touched: false };
  }

  #open(part: string): Token {
    const token = this.#token('open', part);
    this.#path.push(part === '{' ? '' : 0);
    this.#expectsKey.push(part === '{');
    return token;
  }

  #close(part: string): Token {
    this.#path.pop();
    this.#expectsKey.pop();
    return this.#token('close', part);
  }

  #next(part: string): Token {
    const last = this.#path.pop()!;
    const token = this.#token('comma', part);
    this.#path.push(typeof last === 'number' ? last + 1 : '');
    this.#expectsKey[this.#expectsKey.length - 1] = typeof last === 'string';
    return token;
  }

  #quoted(text: string): Token {
    const isKey = this.#expectsKey.at(-1) === true;
    if (isKey) {
      this.#path[this.#path.length - 1] = JSON.parse(`"${text}"`) as string;
      this.#expectsKey[this.#expectsKey.length - 1] = false;
    }
    return { ...this.#token(isKey ? 'key' : 'string', text), quotes: plainQuotes };
  }
}
