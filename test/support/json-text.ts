// Valid JSON texts for fast-check. They cover the grammar, not the output of one serializer: any white space, any
// escape, numbers of any size, duplicate keys, and names that are dangerous as object keys.

import * as fc from 'fast-check';

const dangerous = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'length', '', ' ', '0', 'null');

/** Any code unit: lone surrogates, NUL, and the special characters of JSON and Markdown. */
const unit = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'abc XYZ019'.split('')) },
  { weight: 4, arbitrary: fc.constantFrom(...'{}[]:,"\'`\\/#*<>()=;.+-_\n\t\r'.split('')) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) },
  { weight: 1, arbitrary: fc.constantFrom('\0', '\u2028', '\ud800', '\udfff', '\u00a0', '\ufeff', '“', '’', '😀') },
);
const content = fc.oneof(
  { weight: 8, arbitrary: fc.array(unit, { maxLength: 8 }).map((units) => units.join('')) },
  { weight: 1, arbitrary: fc.constantFrom('```json', '</think>', '", "a": "', '"}', '//x', 'a, b', "it's", 'None') },
);

const space = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('', '', '', ' ', '\n', '\n  ', '\t', '\r\n') },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 300 }).map((length) => ' '.repeat(length)) },
);

/** A string in which each character is literal or escaped. */
const stringText = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.infiniteStream(fc.nat(5))).map(([value, choices]) => {
    let written = '"';
    for (const character of value) written += writeCharacter(character, choices.next().value ?? 0);
    return `${written}"`;
  });

function writeCharacter(character: string, choice: number): string {
  if (choice === 0) return character.replaceAll(/[^]/g, (one) => `\\u${toHex(one.charCodeAt(0))}`);
  if (character === '/' && choice === 1) return '\\/';
  return JSON.stringify(character).slice(1, -1);
}

function toHex(code: number): string {
  return code.toString(16).padStart(4, '0');
}

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.constantFrom('-0', '0', '1e5', '1E+2', '-1.5e-7', '1e400', '-1e400', '9007199254740993', '0.1000000000000000055'),
);

const { value: anyText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    stringText(content),
    numberText,
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }).map((items) => {
      return `[${items.map((parts) => parts.join('')).join(',')}]`;
    }),
    fc
      .array(fc.tuple(space, stringText(fc.oneof(dangerous, content)), space, tie('value'), space), { maxLength: 4 })
      .map((members) => {
        return `{${members.map(([before, key, between, value, after]) => `${before}${key}${between}:${between}${value}${after}`).join(',')}}`;
      }),
  ),
}));

/** Valid JSON of any shape, with white space around it. */
export const jsonText: fc.Arbitrary<string> = fc
  .tuple(space, anyText, space)
  .map(([before, text, after]) => `${before}${text}${after}`);

/** JSON damaged in a few positions: characters deleted, inserted, swapped or doubled, or the end truncated. */
export const damagedText: fc.Arbitrary<string> = fc
  .tuple(jsonText, fc.array(fc.tuple(fc.nat(5), fc.nat(10_000), unit), { minLength: 1, maxLength: 4 }))
  .map(([text, damages]) => damages.reduce((damaged, damage) => damageText(damaged, damage), text));

function damageText(text: string, [kind, place, inserted]: [number, number, string]): string {
  const at = text.length === 0 ? 0 : place % text.length;
  const [before, here, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
  switch (kind) {
    case 0:
      return before + after;
    case 1:
      return before + inserted + here + after;
    case 2:
      return before + after.charAt(0) + here + after.slice(1);
    case 3:
      return before + here + here + after;
    case 4:
      return `Here it is: ${before}${inserted}${after}\n`;
    default:
      return before;
  }
}

/** Stray text between the tokens of a value, before or after a separator. */
const strays = [
  '\u00a0',
  '\u200b',
  '\n\u00a0',
  '\f',
  ' // see above\n',
  ' // the "old" one\n',
  ' // 5" wide\n',
  '/* so */',
  ' # so\n',
  ' ',
  '\n',
  ',',
  ';',
  '"',
  '```\nx\n```',
  '\n\u00a0```js\nx\n```\n',
  '…',
];

const { value: plainValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('red', 'a long text with words in it', "it's", 'a / b // c', 'a, b', 'say "hi"', ''),
    fc.integer(),
    fc.constantFrom(true, false, null, 0.5),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.constantFrom('name', 'age', 'tags', 'last seen', 'n', 'x1'), tie('value'), { maxKeys: 6 }),
  ),
}));

/** JSON that is plain except between its tokens: stray text in some gaps, missing commas in others. */
export const strayedText: fc.Arbitrary<string> = fc
  .tuple(plainValue, fc.nat(2), fc.infiniteStream(fc.nat(200)))
  .map(([value, indent, choices]) => {
    const text = JSON.stringify({ first: value, second: [value, value] }, null, indent);
    return text.replaceAll(/[,:{}[\]]/g, (mark) => strayAround(mark, choices.next().value ?? 0));
  });

function strayAround(mark: string, choice: number): string {
  const stray = strays[choice >> 1];
  if (stray !== undefined) return choice % 2 === 0 ? mark + stray : stray + mark;
  return mark === ',' && choice > 180 ? '' : mark;
}

/** Text that was never JSON, with many characters that confuse parsers. */
export const wildText: fc.Arbitrary<string> = fc.oneof(
  fc.array(unit, { maxLength: 60 }).map((units) => units.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        "'",
        '"a":',
        ',',
        ':',
        '```',
        '```json\n',
        '<think>',
        '</think>',
        '//',
        '/*',
        '*/',
        '#',
        '\\',
        '\n',
        'true',
        '1',
        '-',
        '.',
        '…',
        '(',
        ')',
        'a b',
        '"""',
        '+',
        '=',
        '…',
        '\\u12',
        'None',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
);
