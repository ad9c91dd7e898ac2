// Markdown that grows: every way of arriving gives the same blocks, and settled blocks are not lexed again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MarkdownDocument, type MarkdownToken } from '../../web/markdown/document.ts';
import { visibleText } from '../../web/kit/visible-text.ts';

const text = `# Title

A paragraph with **bold**
over two lines.

- one
- two

  still two
- three

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted

The end`;

function update(document: MarkdownDocument, given: string): void {
  document.update(given);
  while (document.advance());
}

function settled(document: MarkdownDocument): string {
  return document.groups
    .flat()
    .map(({ raw }) => raw)
    .join('');
}

test('character by character, the blocks are those of the whole text', () => {
  const growing = new MarkdownDocument();
  for (let length = 1; length <= text.length; length++) {
    update(growing, text.slice(0, length));
    assert.ok(text.startsWith(settled(growing)));
  }
  const types = [...growing.groups.flat(), ...growing.open].map(({ type }) => type);
  const whole = new MarkdownDocument();
  update(whole, text);
  assert.deepEqual(
    types,
    [...whole.groups.flat(), ...whole.open].map(({ type }) => type),
  );
  assert.deepEqual(
    types.filter((type) => type !== 'space'),
    ['heading', 'paragraph', 'list', 'code', 'table', 'blockquote', 'paragraph'],
  );
});

test('settled blocks keep their identity, and other text starts again', () => {
  const document = new MarkdownDocument();
  update(document, `${text}\r\n\r\n`);
  const [first] = document.groups;
  update(document, `${text}\r\n\r\nmore\n\nand more`);
  assert.equal(document.groups[0]?.[0], first?.[0]);
  update(document, 'other');
  assert.equal(settled(document), '');
  assert.deepEqual(
    document.open.map(({ raw }) => raw),
    ['other'],
  );
});

test('of ten thousand lines without a blank line, only the last are lexed again', () => {
  const document = new MarkdownDocument();
  const lines = 'A line of a long answer that has no blank lines in it.\n'.repeat(50);
  let grown = '';
  for (let count = 0; count < 200; count++) {
    grown += lines;
    update(document, grown);
    assert.ok(grown.length - settled(document).length < 6000);
  }
});

for (const [name, long] of [
  ['a paragraph without a line ending', 'All of this is one line of an answer. '.repeat(30_000)],
  ['a word', '😀'.repeat(200_000)],
  ['ten thousand lines', Array.from({ length: 10_000 }, (_, line) => `Line ${line} of *many*.`).join('\n')],
  ['ten thousand items', Array.from({ length: 10_000 }, (_, line) => `${line + 1}. item`).join('\n')],
  ['ten thousand paragraphs', Array.from({ length: 10_000 }, (_, line) => `Paragraph ${line}.`).join('\n\n')],
  ['a table of ten thousand rows', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(10_000)}`],
  ['quotations', '> quoted\n'.repeat(10_000)],
] as const) {
  test(`${name}: each step settles a bounded piece, and nothing is lost`, () => {
    const document = new MarkdownDocument();
    document.update(long);
    let length = 0;
    for (let goesOn = true; goesOn;) {
      goesOn = document.advance();
      const next = settled(document).length;
      assert.ok(next - length <= 16_000);
      length = next;
    }
    assert.equal(settled(document) + document.open.map(({ raw }) => raw).join(''), long);
    assert.ok(document.groups.every((tokens) => tokens.reduce((sum, { raw }) => sum + raw.length, 0) < 20_000));
  });
}

test('the rest of a long paragraph continues it', () => {
  const document = new MarkdownDocument();
  update(document, `# Title\n\n${'word '.repeat(3000)}\n\nAnother`);
  const shown = [...document.groups.flat(), ...document.open].filter(({ type }) => type === 'paragraph');
  const pieces = shown.map(({ isContinued = false }) => isContinued);
  assert.deepEqual([pieces[0], pieces.at(-1)], [false, false]);
  assert.ok(pieces.length > 3 && pieces.slice(1, -1).every(Boolean), pieces.join());
});

test('the rest of a long table is a table, and ends with it', () => {
  const document = new MarkdownDocument();
  update(document, `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(1000)}\nThe end`);
  const blocks = [...document.groups.flat(), ...document.open].filter(({ type }) => type !== 'space');
  assert.deepEqual(new Set(blocks.slice(0, -1).map(({ type }) => type)), new Set(['table']));
  const rows = blocks.flatMap((token) =>
    token.type === 'table' ? (token as unknown as { rows: readonly unknown[] }).rows : [],
  );
  assert.equal(rows.length, 1000);
  assert.equal(blocks.at(-1)?.type, 'paragraph');
  assert.equal(blocks.at(-1)?.isContinued, undefined);
});

test('a long list is cut between its items', () => {
  const document = new MarkdownDocument();
  update(document, '- item\n    - inner\n    - inner\n'.repeat(1000));
  const blocks = [...document.groups.flat(), ...document.open];
  assert.ok(blocks.length > 1);
  assert.ok(blocks.every(({ type, raw }) => type === 'list' && raw.startsWith('- item')));
});

test('code is one block, however long it is', () => {
  const document = new MarkdownDocument();
  update(document, `Before\n\n\`\`\`ts\n${'const a = 1;\n'.repeat(10_000)}\`\`\`\n\nAfter`);
  const blocks = [...document.groups.flat(), ...document.open].filter(({ type }) => type !== 'space');
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['paragraph', 'code', 'paragraph'],
  );
});

test('control characters and bidirectional overrides are visible', () => {
  assert.equal(visibleText('a\u001b[31mb\u202ec\u0000d\r\n\te'), 'a␛[31mb[U+202E]c␀d\n\te');
});

describe('text that nests without end', () => {
  const count = 1000;
  const shapes: Readonly<Record<string, string>> = {
    'quotations': '>'.repeat(count),
    'quotations with spaces': `${'> '.repeat(count)}x`,
    'lines of quotations': `${'>'.repeat(count)}x\n`.repeat(5),
    'deeper quotations line by line': linesOf((index) => '>'.repeat(index + 1)),
    'shallower quotations line by line': linesOf((index) => '>'.repeat(60 - index)),
    'lists': `${'- '.repeat(count)}x`,
    'ordered lists': `${'1. '.repeat(count)}x`,
    'indented lists': linesOf((index) => `${'  '.repeat(index)}-`),
    'quotations in lists': `${'- > '.repeat(count)}x`,
    'lists in quotations': `${'> - '.repeat(count)}x`,
    'headings in quotations': `${'> # '.repeat(count)}x`,
    'emphasis': `${'*'.repeat(count)}a${'*'.repeat(count)}`,
    'two kinds of emphasis': `${'**a *b '.repeat(count)}x${'* **'.repeat(count)}`,
    'emphasis with underscores': `${'_a '.repeat(count)}x${' b_'.repeat(count)}`,
    'deletions': `${'~~a '.repeat(count)}x${' b~~'.repeat(count)}`,
    'links': `${'['.repeat(count)}a${'](b)'.repeat(count)}`,
    'emphasis in links': `${'[*'.repeat(count)}a${'*](b)'.repeat(count)}`,
    'images': `${'!['.repeat(count)}a${'](b)'.repeat(count)}`,
  };
  for (const [what, source] of Object.entries(shapes)) {
    for (const given of [source, source.repeat(5), `a\n\n${source}\n\nb`]) {
      test(`${what}, ${given.length} characters`, () => {
        const document = new MarkdownDocument();
        update(document, given);
        const tokens = [...document.groups.flat(), ...document.open];
        // The lexer ends a list with a line of its own.
        const written = tokens.map(({ raw }) => raw).join('');
        assert.equal(written.replaceAll(/\s/g, ''), given.replaceAll(/\s/g, ''));
        assert.ok(depthOf(tokens) < 40, String(depthOf(tokens)));
      });
    }
  }
});

function insideOf(token: MarkdownToken): readonly MarkdownToken[] {
  const { tokens = [], items = [] } = token as { tokens?: MarkdownToken[]; items?: MarkdownToken[] };
  return [...tokens, ...items];
}

function depthOf(tokens: readonly MarkdownToken[]): number {
  return Math.max(0, ...tokens.map((token) => 1 + depthOf(insideOf(token))));
}

function linesOf(prefixOf: (index: number) => string): string {
  return Array.from({ length: 60 }, (_, index) => `${prefixOf(index)} x`).join('\n');
}
