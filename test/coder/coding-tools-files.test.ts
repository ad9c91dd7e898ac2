// Read, Edit and Write on a real disk: they preserve file properties, and their errors help the model.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codingWorkspace, edit, file, refused } from '../support/coding-workspace.ts';

describe('Read', () => {
  const { call, write, root } = codingWorkspace();
  const lines = async (input: object) => (await call('Read', { ...file('lines'), ...input })).text;

  test('gives the text as it is', async () => {
    write('a.txt', 'one\r\ntwo\n\ttabs  \n');
    assert.equal((await call('Read', file('a.txt'))).text, 'one\r\ntwo\n\ttabs  \n');
    write('名前 with spaces.txt', 'ünïcode 😀');
    assert.equal((await call('Read', file('名前 with spaces.txt'))).text, 'ünïcode 😀');
    write('empty', '');
    assert.equal((await call('Read', file('empty'))).text, '(empty is empty)');
    assert.equal((await call('Read', file(join(root, 'a.txt')))).isError, false);
  });

  test('gives lines, and says where they are', async () => {
    write('lines', Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join(''));
    assert.equal(await lines({ offset: 9 }), 'line 9\nline 10\n[lines 9 to 10; the file has 10 lines]');
    assert.equal(await lines({ limit: 1 }), 'line 1\n[lines 1 to 1; the file may have more lines]');
    assert.equal(await lines({ offset: 3, limit: 2 }), 'line 3\nline 4\n[lines 3 to 4; the file may have more lines]');
    assert.equal(await lines({ offset: 11 }), 'offset: lines has only 10 lines.');
    assert.match(await lines({ offset: 0 }), /offset: must be at least 1/);
  });

  test('refuses what is too large, and gives parts of it', async () => {
    write('exact', 'x'.repeat(1024 * 1024));
    assert.equal((await call('Read', file('exact'))).text.length, 1024 * 1024);
    write('large', `${'y'.repeat(99)}\n`.repeat(30_000));
    refused(await call('Read', file('large')), /has 3000000 bytes; the limit is 1048576\. Pass offset and limit/);
    const { text } = await call('Read', { ...file('large'), offset: 20_000, limit: 2 });
    assert.match(text, /^y{99}\ny{99}\n\[lines 20000 to 20001; /);
    const cut = await call('Read', { ...file('large'), offset: 1, limit: 30_000 });
    assert.match(cut.text, /\[lines 1 to 10486; cut at 1 MB; continue with a larger offset\]$/);
  });

  test('refuses binary files, folders, pipes and what is not there', async () => {
    write('binary', Buffer.from([65, 0, 66]));
    refused(await call('Read', file('binary')), /^binary is a binary file \(it contains a NUL byte\)/);
    refused(await call('Read', { ...file('binary'), limit: 1 }), /is a binary file/);
    mkdirSync(join(root, 'folder'));
    refused(await call('Read', file('folder')), /is a folder; list it with Glob/);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    refused(await call('Read', file('pipe')), /is not a regular file/);
    refused(await call('Edit', edit('pipe', 'a', 'b')), /is not a regular file/);
    refused(await call('Read', file('none.txt')), /^file_path: none\.txt does not exist\.$/);
    refused(await call('Read', file('a.txt/b')), /^file_path: a\.txt\/b has a file where a folder should be/);
    refused(await call('Read', file('')), /^file_path: must not be empty/);
    refused(await call('Read', file('a\0b')), /^file_path: must not contain a NUL/);
    refused(await call('Read', file('~/x')), /^file_path: "~" is not expanded/);
    refused(await call('Read', file('x'.repeat(300))), /has a name that is too long/);
    refused(await call('Read', {}), /file_path: required/);
  });

  test('shows images as images, by their bytes', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2_000_000)]);
    write('picture.txt', png);
    const { result } = await call('Read', file('picture.txt'));
    const [block] = result.content;
    assert.ok(block?.type === 'image' && block.source.kind === 'base64');
    assert.equal(block.source.mediaType, 'image/png');
    assert.deepEqual(Buffer.from(block.source.data, 'base64'), png);
    write('large.png', Buffer.concat([png, png]));
    refused(await call('Read', file('large.png')), /is an image of 4000016 bytes/);
    write('fake.png', 'text');
    assert.equal((await call('Read', file('fake.png'))).text, 'text');
  });
});

describe('Edit', () => {
  const { call, write, root } = codingWorkspace();
  const content = (name: string): string => readFileSync(join(root, name), 'utf8');

  test('replaces, shows the difference, and answers in short', async () => {
    write('a.ts', 'const a = 1;\nconst b = 2;\n');
    const outcome = await call('Edit', edit('a.ts', 'b = 2', 'b = 3'));
    assert.equal(outcome.text, 'Edited a.ts.');
    assert.equal(outcome.shown, '--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n');
    assert.equal(content('a.ts'), 'const a = 1;\nconst b = 3;\n');
  });

  test('wants to know which, or all', async () => {
    write('twice', 'x\ny\nx\n');
    refused(
      await call('Edit', edit('twice', 'x', 'z')),
      /found 2 times in twice \(lines 1, 3\).*set replace_all to true/,
    );
    assert.equal((await call('Edit', edit('twice', 'x', 'z', true))).text, 'Edited twice in 2 places.');
    assert.equal(content('twice'), 'z\ny\nz\n');
    assert.equal((await call('Edit', edit('twice', 'y', 'w', true))).text, 'Edited twice.');
  });

  const hints: readonly (readonly [name: string, file: string, old: string, hint: RegExp])[] = [
    [
      'white space',
      '  a = 1;\n\tb;\n',
      'a = 1;\nb;',
      /differs from lines 1 to 2 only in white space.*"  a = 1;\\n\\tb;"/,
    ],
    [
      'a line that differs',
      'one\ntwo\nthree\n',
      'one\ntwo\nfour',
      /first 2 lines match from line 1, but line 3 of the file is: "three"/,
    ],
    [
      'the nearest line',
      'x\nconst value = compute();\n',
      'const valu = compute()',
      /most similar line is line 2: "const value = compute\(\);"/,
    ],
    ['escapes', 'a\nb\n', 'a\\nb', /escape them once, not twice/],
    ['the end', 'one\ntwo', 'two\nthree', /first 1 line matches from line 2, but line 3 of the file does not exist/],
    ['nothing', 'abc\n', 'something else entirely', /Nothing in the file is similar; Read the file again/],
    ['only white space', 'abc\n', '   ', /old_str is only white space/],
  ];
  for (const [name, text, old, hint] of hints) {
    test(`gives a hint when it is not found: ${name}`, async () => {
      write('hint', text);
      const outcome = await call('Edit', edit('hint', old, 'new'));
      refused(outcome, /^old_str: not found in hint\. /);
      assert.match(outcome.text, hint);
      assert.equal(content('hint'), text);
    });
  }

  test('creates with folders, appends, and refuses to do nothing', async () => {
    assert.equal((await call('Edit', edit('new/deep/file.txt', '', 'one\n'))).text, 'Created new/deep/file.txt.');
    assert.equal((await call('Edit', edit('new/deep/file.txt', '', 'two'))).text, 'Appended to new/deep/file.txt.');
    const open = await call('Edit', edit('new/deep/file.txt', '', '!\n'));
    assert.match(open.text, /^Appended to .*last line had no line break, so the text continues that line/);
    assert.equal(content('new/deep/file.txt'), 'one\ntwo!\n');
    refused(await call('Edit', edit('new/deep/file.txt', '', '')), /^new_str: must not be empty/);
    refused(await call('Edit', edit('new/deep/file.txt', 'one', 'one')), /^new_str: is identical to old_str/);
    refused(
      await call('Edit', edit('none', 'a', 'b')),
      /^file_path: none does not exist\. To create it, pass an empty old_str/,
    );
    refused(await call('Edit', edit('new', 'a', 'b')), /is a folder/);
    refused(await call('Edit', edit('new/deep/file.txt/x', '', 'b')), /has a file where a folder should be/);
  });

  test('keeps line breaks, byte order mark and bytes that are no text', async () => {
    write('crlf', '\uFEFFone\r\ntwo\r\nthree\r\n');
    await call('Edit', edit('crlf', 'one\ntwo', 'eins\nzwei\ndrei'));
    assert.equal(content('crlf'), '\uFEFFeins\r\nzwei\r\ndrei\r\nthree\r\n');
    await call('Edit', edit('crlf', '', 'four\nfive\n'));
    assert.equal(content('crlf'), '\uFEFFeins\r\nzwei\r\ndrei\r\nthree\r\nfour\r\nfive\r\n');
    write('latin1', Buffer.from('caf\xe9 one\n', 'latin1'));
    await call('Edit', edit('latin1', 'one', 'zwölf'));
    assert.equal(
      readFileSync(join(root, 'latin1')).toString('hex'),
      Buffer.from('caf\xe9 zw\xc3\xb6lf\n', 'latin1').toString('hex'),
    );
  });

  test('keeps the mode, breaks no link to elsewhere, and leaves no other file', async () => {
    const path = write('script.sh', 'echo a\n');
    chmodSync(path, 0o751);
    linkSync(path, join(root, 'twin.sh'));
    const names = readdirSync(root).length;
    await call('Edit', edit('script.sh', 'a', 'b'));
    assert.equal(statSync(path).mode & 0o777, 0o751);
    assert.equal(content('twin.sh'), 'echo a\n');
    assert.equal(readdirSync(root).length, names);
    chmodSync(path, 0o444);
    refused(
      await call('Edit', edit('script.sh', 'b', 'c')),
      /is read-only\. If it should be changed, make it writable first/,
    );
  });

  test('has limits', async () => {
    write('big', 'x');
    refused(
      await call('Edit', edit('big', 'x', 'y'.repeat(102_401))),
      /^new_str: has 102401 bytes; the limit is 102400/,
    );
    refused(await call('Edit', edit('big', 'é'.repeat(51_201), 'y')), /^old_str: has 102402 bytes/);
    assert.equal((await call('Edit', edit('big', 'x', 'y'.repeat(102_400)))).isError, false);
    write('huge', `${'z'.repeat(99)}\n`.repeat(100_001));
    assert.equal((await call('Edit', edit('huge', 'no such', 'y'))).isError, true);
    write('too-huge', Buffer.alloc(10 * 1024 * 1024 + 1, 'z'));
    refused(await call('Edit', edit('too-huge', 'z', 'y')), /the limit is 10485760\. Change it with Bash/);
    write('dense', 'z'.repeat(9_000_000));
    refused(await call('Edit', edit('dense', 'z', 'y')), /found 9000000 times in dense \(lines 1, …\)/);
    refused(await call('Edit', edit('dense', 'z', 'yy', true)), /9000000 replacements in dense are too many/);
    write('nul', 'a\0b');
    refused(await call('Edit', edit('nul', 'a', 'b')), /is a binary file/);
  });

  test('is atomic for every reader', async () => {
    const texts = ['a'.repeat(90_000), 'b'.repeat(90_000)];
    write('atomic', texts[0] ?? '');
    const over = new AbortController();
    const looking = (async () => {
      while (!over.signal.aborted) {
        assert.ok(texts.includes(content('atomic')));
        await new Promise(setImmediate);
      }
    })();
    for (let round = 0; round < 20; round += 1) {
      const outcome = await call('Edit', edit('atomic', texts[round % 2] ?? '', texts[(round + 1) % 2] ?? ''));
      assert.equal(outcome.isError, false, outcome.text);
    }
    over.abort();
    await looking;
  });
});

describe('Write', () => {
  const { call, write, root } = codingWorkspace();
  const put = (path: string, content: string) => call('Write', { 'file_path': path, content });

  test('creates, replaces and says so', async () => {
    const made = await put('a/b.txt', 'one\n');
    assert.deepEqual(
      [made.text, made.shown],
      ['Created a/b.txt (4 bytes).', '--- /dev/null\n+++ a/b.txt\n@@ -0,0 +1 @@\n+one\n'],
    );
    const replaced = await put('a/b.txt', 'two\n');
    assert.equal(replaced.text, 'Replaced a/b.txt (4 bytes).');
    assert.match(replaced.shown, /-one\n\+two\n$/);
    assert.equal((await put('a/b.txt', 'two\n')).text, 'a/b.txt already has this content.');
    assert.equal((await put('nothing', '')).text, 'Created nothing (0 bytes).');
    refused(await put('a', 'x'), /is a folder/);
    refused(await put('big', 'x'.repeat(1024 * 1024 + 1)), /^content: has 1048577 bytes; the limit is 1048576/);
    refused(await call('Write', file('x')), /content: required/);
  });

  test('keeps the line breaks and the byte order mark of what was there', async () => {
    write('crlf', '\uFEFFa\r\nb\r\n');
    await call('Read', file('crlf'));
    await put('crlf', 'c\nd\n');
    assert.equal(readFileSync(join(root, 'crlf'), 'utf8'), '\uFEFFc\r\nd\r\n');
  });

  test(
    'leaves no trace when it fails',
    { skip: process.getuid?.() === 0 ? 'root may write anywhere' : false },
    async () => {
      mkdirSync(join(root, 'closed'));
      chmodSync(join(root, 'closed'), 0o555);
      refused(await put('closed/x', 'x'), /permission denied/);
      assert.equal(existsSync(join(root, 'closed/x')), false);
    },
  );
});

test('changes of one file at the same time, as parallel subagents make them, are all kept', async () => {
  const { root, call, write } = codingWorkspace();
  for (let round = 0; round < 5; round += 1) {
    const names = 'abcdefgh'.split('');
    write('together.txt', names.map((name) => `${name}1\n`).join(''));
    const outcomes = await Promise.all(names.map((name) => call('Edit', edit('together.txt', `${name}1`, `${name}2`))));
    assert.ok(outcomes.every(({ isError }) => !isError));
    assert.equal(readFileSync(join(root, 'together.txt'), 'utf8'), names.map((name) => `${name}2\n`).join(''));
  }
});
