// The git index in all versions that git writes, compared with git's own listing.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { commandPart, skipWithout } from '../../../test/support/requirement.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { parseGitlinks } from './git-index.ts';

const folder = temporaryFolder();
const names = ['a', 'ab/c', 'ab/cd', 'ab/cd-long-name', 'é/ü', 'x'.repeat(300), `deep/${'y'.repeat(200)}/z`];

describe('the gitlinks of an index', { skip: skipWithout(commandPart('git')) }, () => {
  for (const format of ['sha1', 'sha256'] as const) {
    for (const version of ['2', '3', '4']) {
      test(`in version ${version} with ${format}`, () => {
        const root = join(folder.path, `${format}-${version}`);
        mkdirSync(root);
        const git = (...argv: string[]): string =>
          execFileSync('git', argv, {
            cwd: root,
            encoding: 'utf8',
            stdio: 'pipe',
            env: { PATH: process.env['PATH'], HOME: root },
          });
        git('init', '-q', `--object-format=${format}`);
        for (const name of names.filter((_, at) => at % 2 === 0)) {
          mkdirSync(dirname(join(root, name)), { recursive: true });
          writeFileSync(join(root, `${name}.txt`), '');
        }
        git('add', '.');
        const id = '1'.repeat(format === 'sha1' ? 40 : 64);
        for (const name of names) git('update-index', '--add', '--cacheinfo', `160000,${id},${name}`);
        if (version === '3') git('update-index', '--skip-worktree', 'a.txt');
        git('update-index', '--index-version', version);
        const index = readFileSync(join(root, '.git/index'));
        assert.equal(index.readUInt32BE(4), Number(version));
        assert.deepEqual(parseGitlinks(index, format === 'sha1' ? 20 : 32).toSorted(), names.toSorted());
        for (let size = 0; size < index.length; size += 7) parseGitlinks(index.subarray(0, size));
      });
    }
  }

  test('are none where there is no index', () => {
    assert.deepEqual(parseGitlinks(Buffer.from('not an index at all')), []);
    assert.deepEqual(parseGitlinks(Buffer.alloc(0)), []);
  });
});
