// Damage: the root value in another form, such as wrapped, as lines, or not as JSON. Only a schema shows what was meant.

import { isRecord, type JsonValue } from '../../core/json.ts';
import { around, beside, extra, schemaAt, type DamageDraft, type Token } from './draft.ts';
import type { DamageDefinition } from './damage-definition.ts';
import { isReservedWord } from './quotes.ts';

export const rootKinds = {
  'wrapper-object': root((draft, random) => {
    const name = random.pick(['result', 'data', 'response', 'output', 'answer']);
    return around(draft, `{"${name}": `, '}');
  }),
  'two-wrapper-objects': root((draft) => around(draft, '{"response": {"data": ', '}}')),
  'wrapper-list': root((draft) => (schemaAt(draft, [])?.['type'] === 'array' ? undefined : around(draft, '[', ']'))),
  'lines-for-list': root((draft) => {
    const [list] = draft.accepted;
    if (!Array.isArray(list) || list.length < 2 || !list.every((item) => isRecord(item))) return undefined;
    return { ...draft, tokens: draft.tokens.flatMap((token, index) => toLines(draft, token, index)) };
  }),
  'key-value-lines': flat(([key, text]) => `${key}: ${text}`),
  'markdown-list': flat(([key, text]) => `- **${key}**: ${text}`),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

function root(damage: DamageDefinition['damage']): DamageDefinition {
  return { phase: 'root', damage, needsSchema: true };
}

/** Writes each item of the outermost list on its own line. */
function toLines(draft: DamageDraft, token: Token, index: number): Token[] {
  const isOuter = token.path.length === 0;
  if (isOuter && (token.role === 'open' || token.role === 'close')) return [];
  if (isOuter && token.role === 'comma') return [extra('\n')];
  const isBeforeItem = token.role === 'space' && beside(draft, index, 1)?.path.length === 1;
  return isBeforeItem && draft.tokens[index - 1]?.path.length === 0 ? [] : [token];
}

type Line = readonly [key: string, text: string];

/** An object of strings, numbers and booleans, as one line for each member. */
function flat(form: (line: Line) => string): DamageDefinition {
  return {
    ...root((draft) => {
      const lines = linesOf(draft.accepted[0]);
      return lines === undefined ? undefined : { ...draft, tokens: [extra(lines.map(form).join('\n'))] };
    }),
    whole: true,
    excludes: ['program'],
  };
}

function linesOf(value: JsonValue | undefined): Line[] | undefined {
  if (!isRecord(value) || Object.keys(value).length < 2) return undefined;
  const lines: Line[] = [];
  for (const [key, member] of Object.entries(value)) {
    const text = /^[A-Za-z]\w*$/u.test(key) ? lineText(member) : undefined;
    if (text === undefined) return undefined;
    lines.push([key, text]);
  }
  return lines;
}

function lineText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || isReservedWord(value) || value !== value.trim()) return undefined;
  return /^\p{L}[\p{L}\d ,.'-]*$/u.test(value) ? value : undefined;
}
