// Damage: what models write around a value. Program code, code fences, prose, reasoning.

import type { JsonValue } from '../../core/json.ts';
import { around, beside, escapeText, extra, isQuoted, mapTokens, toText, type DamageDraft } from './draft.ts';
import type { DamageDefinition, DamagePhase } from './damage-definition.ts';
import type { Random } from '../model/random.ts';
import { isStandard } from './quotes.ts';

const openings = [
  'Sure! Here is the JSON you asked for:',
  "Of course. I've filled in every field:",
  'Here you go: it was easier than I thought, so I kept it short.',
];
const bracketOpenings = [
  'I filled in every field [as requested]:',
  'Here you go {all fields included}:',
  'The format is {key: value}, see [1] and (a):',
  'Use `{}` for objects and `[]` for lists. The answer:',
  'An open [bracket in a sentence, and an open { brace. The answer:',
];
const closings = [
  'Let me know if you need anything else!',
  "I hope this helps. It's all I found.",
  'Tell me if a field should change.',
];
const bracketClosings = [
  'I hope this helps. [1] Some values are examples.',
  'Note: {placeholders} are gone, and so are [notes].',
  'A smile :} and an arrow ->] to end with.',
];
const thoughts = [
  'The user wants JSON. Maybe {"draft": true}? No, it needs every field.',
  'First idea: [1, 2, 3]. That does not fit the schema, so I start again.',
  'Something like {"answer": "?"} would be too short.',
  "It's a list, isn't it? {No: an object, I'd say.",
];
const plainThoughts = [
  'The user wants JSON, so every field has to be there.',
  "It's an easy one. I'll go through the fields one by one.",
];

export const frameKinds = {
  'assignment': program((random) => [
    random.pick(['const data = ', 'let result = ', 'result = ', 'var x=', 'data: Answer = ']),
    ';',
  ]),
  'export-default': program((random) => [random.pick(['export default ', 'module.exports = ']), ';']),
  'return-statement': program(() => ['return ', ';']),
  'jsonp': program((random) => [`${random.pick(['callback', 'cb', 'handleResponse'])}(`, random.pick([')', ');'])]),
  'call-wrapper': program((random) => {
    const name = random.pick(['print', 'console.log', 'JSON.stringify', 'dict', 'json.dumps', 'submit_answer']);
    return [`${name}(`, ')'];
  }),
  'parentheses': program(() => ['(', ')']),
  'trailing-semicolon': program(() => ['', ';']),
  'comma-after-value': program(() => ['', ',']),
  'tag-wrapper': program((random) => {
    const tag = random.pick(['answer', 'json', 'output', 'result', 'response']);
    return [`<${tag}>\n`, `\n</${tag}>`];
  }),
  'leading-comment': {
    phase: 'program',
    damage: (draft, random) =>
      around(draft, random.pick(['// the answer\n', '# answer.json\n', '/* as asked */\n']), ''),
  },
  'prose-on-the-line': program((random) => [
    random.pick(['Answer: ', 'The result is ', 'Output = ', 'So we get ']),
    random.pick(['.', ' as requested.', ' — done!']),
  ]),
  'list-item': { phase: 'program', damage: (draft, random) => around(draft, random.pick(['- ', '* ', '1. ']), '') },
  'json-label': {
    phase: 'program',
    damage: (draft, random) => around(draft, random.pick(['json\n', 'JSON\n', 'json ', 'JSON: ']), ''),
  },
  'escaped-text': {
    phase: 'program',
    damage: (draft) => {
      // Only backslashes before the quotes of keys and strings show that the text is escaped.
      if (!draft.tokens.some((token) => isQuoted(token) && isStandard(token))) return undefined;
      return { ...draft, tokens: [extra(escapeText(toText(draft)))] };
    },
  },
  'double-encoded': {
    phase: 'program',
    damage: (draft) => ({ ...draft, tokens: [extra(JSON.stringify(toText(draft)))] }),
    needsSchema: true,
    whole: true,
  },
  'literal-newlines': {
    phase: 'program',
    damage: (draft) =>
      mapTokens(draft, (token) =>
        token.role === 'space' && token.text.includes('\n')
          ? { ...token, text: token.text.replaceAll('\n', String.raw`\n`) }
          : undefined,
      ),
  },

  'fence': fence('```json\n', '\n```'),
  'fence-without-language': fence('```\n', '\n```'),
  'fence-with-other-language': {
    ...fence('', ''),
    damage: (draft, random) =>
      around(draft, `\`\`\`${random.pick(['python', 'javascript', 'JSON', 'json5', 'text'])}\n`, '\n```'),
  },
  'tilde-fence': fence('~~~json\n', '\n~~~'),
  'fence-on-one-line': fence('```', '```'),
  'code-span': { ...fence('`', '`'), excludes: ['program'] },
  'unclosed-fence': { phase: 'fence', damage: (draft) => around(draft, '```json\n', '') },
  'longer-fence': fence('````json\n', '\n````'),
  'second-fence': fence('```ts\ntype Answer = { [key: string]: unknown };\n```\n\n```json\n', '\n```'),
  'fence-then-another': fence(
    '```json\n',
    '\n```\n\nTo read it:\n\n```python\nimport json\nanswer = json.loads(text)\n```',
  ),

  /** Only the closing line of a fence. */
  'unopened-fence': prose(() => ['', '\n```']),
  'prose': prose((random) => [`${random.pick(openings)}\n\n`, `\n\n${random.pick(closings)}`]),
  'prose-before': {
    phase: 'prose',
    damage: (draft, random) => around(draft, `${random.pick(openings)}\n\n`, ''),
  },
  'prose-after': prose((random) => ['', `\n\n${random.pick(closings)}`]),
  'prose-with-brackets': prose((random) => [
    `${random.pick(bracketOpenings)}\n\n`,
    `\n\n${random.pick(bracketClosings)}`,
  ]),
  'smaller-value-before': {
    phase: 'prose',
    damage: (draft) => besideAnother(draft, 'before', { status: 'thinking' }),
    whole: true,
  },
  'smaller-value-after': {
    phase: 'prose',
    damage: (draft) => besideAnother(draft, 'after', { status: 'done' }),
    whole: true,
  },
  'repeated-answer': {
    phase: 'prose',
    damage: (draft) => (isFenceOpen(draft) ? undefined : around(draft, '', `\n\nOnce more:\n\n${toText(draft)}`)),
    whole: true,
  },

  'heading': {
    phase: 'prose',
    damage: (draft, random) => around(draft, random.pick(['## Result\n\n', '**Answer:**\n\n', '# JSON\n']), ''),
  },
  /** The model corrects itself. Both values fit the schema, and the last one counts. */
  'first-attempt-before': {
    phase: 'prose',
    damage: (draft) => {
      const attempt = isFenceOpen(draft) ? undefined : otherNumbers(draft);
      return attempt === undefined ? undefined : around(draft, `${attempt}\n\nCorrection:\n\n`, '');
    },
    needsSchema: true,
    whole: true,
  },

  'think-decoy': thought((random) => `<think>\n${random.pick(thoughts)}\n</think>\n`),
  'think-attempt': {
    phase: 'thought',
    damage: (draft) => {
      const attempt = otherNumbers(draft);
      return attempt === undefined ? undefined : around(draft, `<think>\n${attempt}\n\nNo, wait.\n</think>\n\n`, '');
    },
  },
  'other-think-tag': thought((random) => {
    const tag = random.pick(['thinking', 'reasoning', 'thought', 'scratchpad']);
    return `<${tag}>\n${random.pick(thoughts)}\n</${tag}>\n\n`;
  }),
  'unopened-think': thought((random) => `${random.pick(thoughts)}\n</think>\n\n`),
  'unclosed-think': thought((random) => `<think>\n${random.pick(plainThoughts)}\n\n`),

  'byte-order-mark': { phase: 'encoding', damage: (draft) => around(draft, '\uFEFF', '') },
  'no-break-spaces': {
    phase: 'encoding',
    damage: (draft) => respace(draft, (space) => space.replaceAll(' ', '\u00A0'), '\u00A0'),
  },
  'zero-width-spaces': { phase: 'encoding', damage: (draft) => respace(draft, (space) => `\u200B${space}`, '\u200B') },
} as const satisfies Readonly<Record<string, DamageDefinition>>;

function program(frame: (random: Random) => readonly [string, string]): DamageDefinition {
  return framed('program', frame);
}

function prose(frame: (random: Random) => readonly [string, string]): DamageDefinition {
  return framed('prose', frame);
}

function fence(before: string, after: string): DamageDefinition {
  return framed('fence', () => [before, after]);
}

function framed(phase: DamagePhase, frame: (random: Random) => readonly [string, string]): DamageDefinition {
  return { phase, damage: (draft, random) => around(draft, ...frame(random)), whole: true };
}

function thought(before: (random: Random) => string): DamageDefinition {
  return { phase: 'thought', damage: (draft, random) => around(draft, before(random), '') };
}

/** Whether text added at the end would be inside a code fence, as part of the value. */
function isFenceOpen(draft: DamageDraft): boolean {
  return [...toText(draft).matchAll(/^(?:```|~~~)/gmu)].length % 2 === 1;
}

/** The same text with other numbers: a value that fits the schema equally well. */
function otherNumbers(draft: DamageDraft): string | undefined {
  const changed = mapTokens(draft, (token) =>
    token.role === 'number' && !token.touched
      ? { ...token, text: String(Math.trunc(Number(token.text)) + 7) }
      : undefined,
  );
  return changed && toText(changed);
}

/** Two values on separate lines. The larger one is the result; without a schema, a list of both is accepted too. */
function besideAnother(draft: DamageDraft, place: 'before' | 'after', value: JsonValue): DamageDraft | undefined {
  if (toText(draft).length < 60 || isFenceOpen(draft)) return undefined;
  const isBefore = place === 'before';
  const both = around(
    draft,
    isBefore ? `${JSON.stringify(value)}\n` : '',
    isBefore ? '' : `\n${JSON.stringify(value)}`,
  );
  const lists = draft.accepted.map((answer) => (isBefore ? [value, answer] : [answer, value]));
  return { ...both, accepted: [...draft.accepted, ...lists] };
}

/** Changes the space between tokens, never inside a string, where it would be part of the value. */
function respace(draft: DamageDraft, change: (space: string) => string, added: string): DamageDraft | undefined {
  if (draft.tokens.some(({ role }) => role === 'space')) {
    return mapTokens(draft, (token) => (token.role === 'space' ? { ...token, text: change(token.text) } : undefined));
  }
  return mapTokens(draft, (token, index) => {
    const isPunctuation = token.role === 'comma' || token.role === 'colon';
    return isPunctuation && beside(draft, index, 1)?.role !== 'extra'
      ? { ...token, text: token.text + added }
      : undefined;
  });
}
