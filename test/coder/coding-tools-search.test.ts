// Glob and Grep on a real disk: what they find, what they skip, and where they stop.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codingWorkspace, refused } from '../support/coding-workspace.ts';
import { commandPart, skipWithout } from '../support/requirement.ts';

describe('Glob', () => {
  const { call, write, root } = codingWorkspace();
  for (const name of [
    'a.ts',
    'b.js',
    'src/a.ts',
    'src/deep/b.ts',
    'src/node_modules/x.ts',
    '.git/config',
    '.github/ci.yml',
    'target/out',
    'logs/a.log',
    'logs/keep.log',
    'build/x',
    'src/gen/made.ts',
    'src/gen/kept.ts',
    '名前.ts',
  ]) {
    write(name, '');
  }
  write('.gitignore', '*.log\n!keep.log\n/build/\n# a comment\n');
  write('src/.gitignore', 'gen/*\n!gen/kept.ts\n');
  symlinkSync('src', join(root, 'link'));
  const found = async (input: object): Promise<string[]> => (await call('Glob', input)).text.split('\n');

  test('lists a folder, and below it when asked', async () => {
    const top = ['.github/', '.gitignore', 'a.ts', 'b.js', 'link', 'logs/', 'src/', '名前.ts'];
    assert.deepEqual(await found({}), top);
    assert.deepEqual(await found({ path: '.', recursive: false }), top);
    assert.deepEqual(await found({ path: 'src' }), ['src/.gitignore', 'src/a.ts', 'src/deep/', 'src/gen/']);
    assert.deepEqual(await found({ path: 'src', recursive: true }), [
      'src/.gitignore',
      'src/a.ts',
      'src/deep/',
      'src/deep/b.ts',
      'src/gen/',
      'src/gen/kept.ts',
    ]);
  });

  test('finds by pattern', async () => {
    assert.deepEqual(await found({ pattern: '*.ts' }), ['a.ts', '名前.ts']);
    assert.deepEqual(await found({ pattern: '*.ts', recursive: true }), [
      'a.ts',
      'src/a.ts',
      'src/deep/b.ts',
      'src/gen/kept.ts',
      '名前.ts',
    ]);
    assert.deepEqual(await found({ pattern: '**/b.*' }), ['b.js', 'src/deep/b.ts']);
    assert.deepEqual(await found({ pattern: 'src/*' }), ['src/.gitignore', 'src/a.ts', 'src/deep/', 'src/gen/']);
    assert.deepEqual(await found({ pattern: '*.ts', path: 'src' }), ['src/a.ts']);
    assert.deepEqual(await found({ pattern: './src/deep/*.{ts,js}' }), ['src/deep/b.ts']);
    assert.deepEqual(await found({ pattern: join(root, 'src/*.ts') }), ['src/a.ts']);
    assert.deepEqual(await found({ pattern: 'a.ts' }), ['a.ts']);
    assert.deepEqual(await found({ pattern: 'src' }), await found({ path: 'src' }));
    assert.deepEqual(await found({ pattern: '*.py' }), [
      'No path in . matches *.py. Set recursive to search in subfolders.',
    ]);
  });

  test('looks into what is ignored when it is named', async () => {
    assert.deepEqual(await found({ path: 'src/node_modules' }), ['src/node_modules/x.ts']);
    assert.deepEqual(await found({ pattern: 'target/*' }), ['target/out']);
    assert.deepEqual(await found({ path: 'build' }), ['build/x']);
    assert.deepEqual(await found({ path: 'logs' }), ['logs/keep.log']);
  });

  test('is bounded and says what is wrong', async () => {
    for (let at = 0; at < 1_100; at += 1) write(`many/${at}`, '');
    const many = await found({ path: 'many' });
    assert.equal(many.length, 1_001);
    assert.match(many.at(-1) ?? '', /^\[stopped after 1000 entries; narrow the pattern/);
    refused(await call('Glob', { path: 'none' }), /^path: none does not exist/);
    refused(await call('Glob', { pattern: '*/../x' }), /^pattern: must not contain "\.\."/);
    write('odd\nname', '');
    assert.ok((await found({})).includes('"odd\\nname"'));
  });

  test('agrees with git on what is ignored', async () => {
    const repository = codingWorkspace();
    const rules = ['*.a', '!b.a', '/c', 'd/', 'e/f', '**/g', 'h/**', 'i/**/j', '\\!k', 'l ', '[m-n]x', 'o?', '*/p/*'];
    repository.write('.gitignore', rules.join('\n'));
    repository.write('sub/.gitignore', '!x.a\n/q\nd\n');
    const names =
      'x.a b.a c d e/f sub/e/f g sub/g h/z i/j i/y/j !k l mx nx ox oxx z/p/r sub/x.a sub/b.a sub/q q sub/d/y d2/d/y sub/c e/z/f';
    for (const name of names.split(' ')) repository.write(name, '');
    execFileSync('git', ['init', '--quiet'], { cwd: repository.root });
    const listed = execFileSync('git', ['ls-files', '--others', '--exclude-standard', '-z'], { cwd: repository.root });
    const ours = (await repository.call('Glob', { recursive: true })).text
      .split('\n')
      .filter((name) => !name.endsWith('/'));
    assert.deepEqual(ours.toSorted(), listed.toString().split('\0').filter(Boolean).toSorted());
  });
});

describe('Grep', { skip: skipWithout(commandPart('rg', 'ripgrep')) }, () => {
  const { call, write, root, outside } = codingWorkspace();
  const lines = async (input: object) => (await call('Grep', input)).text.split('\n');
  write('a.ts', 'const needle = 1;\nother\n');
  write('src/b.js', 'Needle\nneedle(needle)\n');
  write('node_modules/c.js', 'needle\n');
  write('.git/config', 'needle\n');
  write('.github/ci.yml', 'needle: yes\n');
  write('ignored/d.ts', 'needle\n');
  write('.gitignore', 'ignored/\n');
  write('binary', Buffer.from('needle\0needle'));
  writeFileSync(join(outside, 'e.ts'), 'needle\n');
  symlinkSync(outside, join(root, 'link'));

  test('finds lines in the project', async () => {
    const expected = ['.github/ci.yml:1:needle: yes', 'a.ts:1:const needle = 1;', 'src/b.js:2:needle(needle)'];
    assert.deepEqual(
      (await lines({ pattern: 'needle' })).filter((line) => !line.startsWith('binary')),
      expected,
    );
    assert.deepEqual(await lines({ pattern: 'needle', glob: '*.ts' }), ['a.ts:1:const needle = 1;']);
    assert.deepEqual(await lines({ pattern: 'NEEDLE', 'ignore_case': true, path: 'src' }), [
      'src/b.js:1:Needle',
      'src/b.js:2:needle(needle)',
    ]);
    assert.deepEqual(await lines({ pattern: 'needle', path: 'a.ts' }), ['a.ts:1:const needle = 1;']);
    assert.deepEqual(await lines({ pattern: 'needle', path: 'node_modules' }), ['node_modules/c.js:1:needle']);
    assert.deepEqual(await lines({ pattern: 'nothing-like-it' }), ['No matches in ..']);
  });

  test('takes nothing of the model as an option', async () => {
    write('dash', '--files -e\n');
    assert.equal((await call('Grep', { pattern: '--files' })).text, 'dash:1:--files -e');
    assert.equal((await call('Grep', { pattern: '-e' })).text, 'dash:1:--files -e');
    write('-rf', 'dashed\n');
    assert.equal((await call('Grep', { pattern: 'dashed', path: '-rf' })).text, '-rf:1:dashed');
  });

  test('obeys no settings of the user', async () => {
    const settings = write('rgrc', '--files\n');
    const { workspace } = codingWorkspace();
    const other = codingWorkspace({ root, environment: { ...workspace.environment, RIPGREP_CONFIG_PATH: settings } });
    assert.equal((await other.call('Grep', { pattern: 'const' })).text, 'a.ts:1:const needle = 1;');
  });

  test('is bounded', async () => {
    write('many', 'match\n'.repeat(200));
    const many = await lines({ pattern: '^match' });
    assert.equal(many.length, 51);
    assert.match(many.at(-1) ?? '', /^\[more than 50 matches; narrow the pattern/);
    rmSync(join(root, 'many'));
    write('wide', `wide ${'x'.repeat(1_000_000)}\n`);
    assert.ok((await call('Grep', { pattern: '^wide' })).text.length < 700);
    write('fifty', 'fifty\n'.repeat(50));
    assert.equal((await call('Grep', { pattern: '^fifty' })).text.split('\n').length, 50);
  });

  test('says what is wrong', async () => {
    refused(await call('Grep', { pattern: '(' }), /^pattern: regex parse error/);
    refused(await call('Grep', { pattern: 'a\nb' }), /^pattern: must be a single line/);
    refused(await call('Grep', { pattern: 'a', path: 'none' }), /^path: none does not exist/);
    refused(await call('Grep', { pattern: 'a', glob: '!x' }), /^glob: selects the files to search/);
    refused(await call('Grep', { pattern: 'a', glob: '[' }), /^pattern: .*|glob/);
    const without = codingWorkspace({ environment: { PATH: '/nonexistent' } });
    refused(
      await without.call('Grep', { pattern: 'a' }),
      /needs ripgrep \(rg\), which is not installed.*apt-get install ripgrep/,
    );
  });

  test('ends when it is cancelled', async () => {
    const outcome = await call('Grep', { pattern: 'a' }, { signal: AbortSignal.timeout(1) });
    assert.ok(outcome.isError || outcome.text !== '');
  });
});

describe("the agent's own files", () => {
  const session = '.entire/metadata/2026-11-16-3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b';
  const own = [
    `${session}/full.jsonl`,
    `${session}/prompt.txt`,
    `packages/web/${session}/full.jsonl`,
    '.forgeflare/convergence.json',
    '.forgeflare/audit.jsonl',
    '.forgeflare/convergence.json.12-3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b.tmp',
  ];
  const { call, write, root } = codingWorkspace();
  for (const name of own) write(name, 'needle\n');
  for (const name of ['a.txt', '.forgeflare/hooks.toml', '.forgeflare/audit.mjs', 'docs/.entire/settings.json']) {
    write(name, 'needle\n');
  }
  symlinkSync('.entire', join(root, 'link'));
  symlinkSync(`${session}/full.jsonl`, join(root, 'linked.txt'));
  const skip = skipWithout(commandPart('rg', 'ripgrep'));

  test('are not listed, and neither is a folder that holds nothing else', async () => {
    const { text } = await call('Glob', { recursive: true });
    assert.deepEqual(text.split('\n'), [
      '.forgeflare/',
      '.forgeflare/audit.mjs',
      '.forgeflare/hooks.toml',
      'a.txt',
      'docs/',
      'docs/.entire/',
      'docs/.entire/settings.json',
      'link',
      'linked.txt',
      'packages/',
      'packages/web/',
    ]);
    for (const input of [
      { pattern: '**/*.jsonl' },
      { pattern: '.entire/**' },
      { path: '.entire', recursive: true },
      { path: 'link', recursive: true },
      { pattern: '.forgeflare/*.json*' },
    ]) {
      assert.doesNotMatch((await call('Glob', input)).text, /full\.jsonl|prompt\.txt|convergence|audit\.jsonl/);
    }
  });

  test('are not searched', { skip }, async () => {
    const found = ['.forgeflare/audit.mjs', '.forgeflare/hooks.toml', 'a.txt', 'docs/.entire/settings.json'];
    const { text } = await call('Grep', { pattern: 'needle' });
    assert.deepEqual(
      text.split('\n').map((line) => line.split(':')[0]),
      found,
    );
    for (const input of [{ path: '.entire' }, { path: 'link' }, { glob: '*.jsonl' }, { glob: '**/.entire/**/*.txt' }]) {
      assert.match((await call('Grep', { pattern: 'needle', ...input })).text, /^No matches/);
    }
    assert.match(
      (await call('Grep', { pattern: 'needle', path: '.forgeflare' })).text,
      /^\.forgeflare\/audit\.mjs.*\n.*toml:1:needle$/,
    );
  });

  test('are opened and changed by no tool, however they are named', async () => {
    const paths = [...own, 'linked.txt', `link/metadata/${session.split('/')[2]}/full.jsonl`, '.ENTIRE/Metadata/x'];
    for (const path of paths) {
      refused(await call('Read', { 'file_path': path }), /one of the agent's own records/);
      refused(await call('Write', { 'file_path': path, content: '' }), /one of the agent's own records/);
      refused(
        await call('Edit', { 'file_path': path, 'old_str': 'needle', 'new_str': '' }),
        /one of the agent's own records/,
      );
    }
    refused(await call('Glob', { path: session }), /one of the agent's own records/);
    refused(await call('Grep', { pattern: 'needle', path: `${session}/full.jsonl` }), /one of the agent's own records/);
    assert.equal((await call('Read', { 'file_path': '.forgeflare/hooks.toml' })).text, 'needle\n');
  });
});
