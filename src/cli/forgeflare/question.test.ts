// What the user sees before a decision: everything, page by page if necessary, and no hidden characters.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PermissionQuestion, PermissionReply } from '../../coder/permission/permission.ts';
import { createUserQuestions } from './question.ts';
import { toVisibleText } from './visible-text.ts';

interface Screen {
  readonly reply: PermissionReply;
  readonly lines: readonly string[];
  readonly questions: readonly string[];
}

async function show(
  asked: Partial<PermissionQuestion>,
  words: readonly (string | undefined)[] = ['y'],
  desk: { readonly showsCalls?: boolean; readonly columns?: number } = {},
): Promise<Screen> {
  const lines: string[] = [];
  const questions: string[] = [];
  const said = [...words];
  const user = createUserQuestions({
    paint: (_format, text) => text,
    screen: { rows: 12, columns: desk.columns ?? 80 },
    showsCalls: desk.showsCalls ?? true,
    tell: async (line) => void lines.push(line),
    reached: () => Promise.resolve(),
    whileAsking: (work) => work(),
    question: async (text) => (questions.push(text), said.shift()),
  });
  const question = { id: '1', name: 'Edit', input: {}, reason: 'why', grant: { kind: 'edit' }, ...asked } as const;
  const reply = await user.permission(question, new AbortController().signal);
  return { reply, lines, questions };
}

const command = (text: string) => ({ name: 'Bash', grant: { kind: 'command', command: text } }) as const;
const diffOf = (count: number): string =>
  ['--- a', '+++ a', '@@ -1 +1 @@', ...Array.from({ length: count }, (_, at) => `+line ${at + 1}`), ''].join('\n');

describe('a question about a change', () => {
  test('shows the diff and what it does', async () => {
    const preview = { title: 'overwrites a.txt: 2 lines → 1 line', text: '--- a\n+++ a\n@@ -1,2 +1 @@\n-x\n-y\n+z\n' };
    const { lines } = await show({ name: 'Write', preview });
    assert.deepEqual(lines, [
      '  --- a',
      '  +++ a',
      '  @@ -1,2 +1 @@',
      '  -x',
      '  -y',
      '  +z',
      '  ? Write: overwrites a.txt: 2 lines → 1 line',
    ]);
  });

  test('that is long shows head and tail, and all of it by pages', async () => {
    const preview = { title: 'changes a', text: diffOf(97) };
    const { lines, questions, reply } = await show({ preview }, [
      'v',
      '',
      'b',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      'n',
    ]);
    assert.equal(reply, 'no');
    assert.match(questions[0] ?? '', /v = view all 100 lines: $/);
    assert.equal(lines[22], '  … 70 lines not shown; v shows all …');
    assert.deepEqual([lines[30], lines[31]], ['  +line 97', '  ? Edit: changes a']);
    assert.match(questions[1] ?? '', /Lines 1 to 10 of 100\. Enter = more/);
    assert.match(questions[2] ?? '', /Lines 11 to 20/);
    assert.match(questions[3] ?? '', /Lines 1 to 10/);
    const paged = lines.slice(32 + 20);
    assert.deepEqual(
      paged,
      diffOf(97)
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`),
    );
  });

  test('can be left at any page, back to the question or completely', async () => {
    const preview = { title: 'changes a', text: diffOf(97) };
    assert.equal((await show({ preview }, ['v', 'q', 'y'])).reply, 'once');
    assert.equal((await show({ preview }, ['v', undefined, 'y'])).reply, 'no');
  });

  test('shows a line of any length to its end', async () => {
    const preview = { title: 'changes a', text: `+${'x'.repeat(200)}END\n` };
    const { lines } = await show({ preview }, ['y'], { columns: 54 });
    assert.equal(
      lines
        .slice(0, -1)
        .map((line) => line.slice(2))
        .join(''),
      `+${'x'.repeat(200)}END`,
    );
    assert.ok(lines.every((line) => line.length <= 54));
  });

  test('marks a carriage return where the lines differ in it, and not where all have one', async () => {
    const head = '--- a\n+++ a\n@@ -1 +1 @@\n';
    const text = `${head}-a\r\n+b\n`;
    assert.ok((await show({ preview: { title: 't', text } })).lines.includes('  -a␍'));
    const all = await show({ preview: { title: 't', text: `${head}-a\r\n+b\r\n` } });
    assert.ok(all.lines.includes('  -a') && all.lines.includes('  +b'));
  });
});

describe('a question about a command', () => {
  test('repeats it unless the line above shows all of it', async () => {
    assert.deepEqual((await show(command('npm test'))).lines, ['  ? Bash: why']);
    assert.deepEqual((await show(command('npm test'), ['y'], { showsCalls: false })).lines, [
      '  npm test',
      '  ? Bash: why',
    ]);
    for (const text of ['a\nb', 'x'.repeat(200), `a${' '.repeat(90)}b`, 'a\tb', 'a\rb', 'a\u202eb']) {
      const { lines } = await show(command(text));
      assert.ok(lines.length > 1, JSON.stringify(text));
    }
  });

  test('shows the end of a long one too', async () => {
    const { lines } = await show(command(`${'echo\n'.repeat(80)}rm -rf .`));
    assert.equal(lines.at(-2), '  rm -rf .');
  });

  test('says what always means', async () => {
    assert.match((await show(command('x'))).questions[0] ?? '', /a = always \(this command\)/);
    assert.match((await show({})).questions[0] ?? '', /a = always \(every file change\)/);
  });
});

test('a question about another tool shows all of its arguments', async () => {
  const { lines } = await show({
    name: 'Deploy',
    input: { to: 'all', command: 'x' },
    grant: { kind: 'tool', name: 'Deploy' },
  });
  assert.deepEqual(lines, ['  {', '    "to": "all",', '    "command": "x"', '  }', '  ? Deploy: why']);
});

describe('visible text', () => {
  const cases: readonly (readonly [given: string, shown: string])[] = [
    ['echo hi\rrm -rf .', 'echo hi␍rm -rf .'],
    ['a\u001b[8mb\u001b[2K\u0008\u007f\u009b', 'a␛[8mb␛[2K␈␡<U+009B>'],
    ['a\u202eb\u2066c\u200f\u061c', 'a<U+202E>b<U+2066>c<U+200F><U+061C>'],
    ['a\u200bb\u2060\ufeff\u00ad\u3164\u{e0041}', 'a<U+200B>b<U+2060><U+FEFF><U+00AD><U+3164><U+E0041>'],
    ['a\u00a0b\u2028c', 'a<U+00A0>b<U+2028>c'],
    ['plain\ttext\nümläut 漢字 ✔️', 'plain\ttext\nümläut 漢字 ✔️'],
  ];
  for (const [given, shown] of cases) {
    test(JSON.stringify(given), () => assert.equal(toVisibleText(given), shown));
  }
});
