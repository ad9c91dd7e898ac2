// Git settings files, parsed as git parses them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commandPart, skipWithout } from '../../../test/support/requirement.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { calledWords } from './called-files.ts';
import { loadGitSettings, parseGitConfig, toPath } from './git-config.ts';

const folder = temporaryFolder();

const text = `# a comment
[core]
	hooksPath = .husky/_ ; where hooks are
	HOOKSPATH="a b # c" # not this
	bare
[Filter "Big \\"X\\""] clean = run \\"it\\" \\
   now
[alias]
	x = "!f() { echo \\t; }; f"
	spaced   =   one   two   
[include] path = other
[old.Section]
	key = v\r
`;

describe('a settings file of git', () => {
  test('is read as git reads it', { skip: skipWithout(commandPart('git')) }, () => {
    const file = join(folder.path, 'config');
    writeFileSync(file, text);
    const listed = execFileSync('git', ['config', '--no-includes', '--list', '-z', '--file', file], {
      encoding: 'utf8',
    });
    const expected = listed
      .split('\0')
      .slice(0, -1)
      .map((entry) => {
        const [name = '', ...value] = entry.split('\n');
        return { name, value: value.length === 0 ? 'true' : value.join('\n') };
      });
    assert.deepEqual(parseGitConfig(text), expected);
  });

  test('brings the files it includes, under any condition, also in a circle and also those that are missing', async () => {
    const at = (name: string): string => join(folder.path, name);
    mkdirSync(at('deep'));
    writeFileSync(at('first'), '[include]\n path = deep/second\n[includeIf "gitdir:/nowhere/"]\n path = ~/third\n');
    writeFileSync(at('deep/second'), '[core]\n hooksPath = two\n[include]\n path = ../first\n path = missing\n');
    writeFileSync(at('third'), '[core]\n hooksPath = three\n');
    const { settings, files } = await loadGitSettings([at('first')], folder.path);
    assert.deepEqual(files, ['first', 'deep/second', 'third', 'deep/missing'].map(at));
    const hooks = settings.filter(({ name }) => name === 'core.hookspath').map(({ value }) => value);
    assert.deepEqual(hooks, ['two', 'three']);
  });

  test('names paths from its own folder, from the home, or absolutely', () => {
    assert.equal(toPath('x/y', '/base', '/home/me'), '/base/x/y');
    assert.equal(toPath('~/x', '/base', '/home/me'), '/home/me/x');
    assert.equal(toPath('/x', '/base', '/home/me'), '/x');
  });
});

describe('a shell text', () => {
  const cases: readonly (readonly [text: string, words: readonly string[]])[] = [
    ['exec ./scripts/check.sh "$@"', ['exec', './scripts/check.sh']],
    ['# exec ./no\nnpm test && sh -e tools/x', ['npm', 'sh', 'tools/x']],
    ['. "$(dirname -- "$0")/_/husky.sh"', ['.', '$', 'dirname', '/_/husky.sh']],
    ['"$ROOT/bin/run" | python3 -u a.py', ['/bin/run', 'python3', 'a.py']],
    ['A=1 B=2 node "a b.js"', ['node', 'a']],
  ];
  for (const [line, words] of cases) test(line, () => assert.deepEqual(calledWords(line), words));
});
