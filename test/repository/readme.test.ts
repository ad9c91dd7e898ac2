// Checks README.md: its commands print the shown output, its numbers match the manifest, and its links work.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { countPackages } from '../../scripts/npm-packages.mjs';
import { consoleSessions } from '../support/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const home = temporaryFolder().path;
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};

describe('README.md', () => {
  const sessions = consoleSessions(readme);
  test('shows commands with their output', () => assert.ok(sessions.length >= 2));

  for (const { command, output } of sessions) {
    test(command, async () => {
      const env = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), HOME: home };
      const shown = await new Promise<string>((resolve) => {
        execFile('sh', ['-c', `{ ${command}; } 2>&1`], { cwd: root, env }, (_error, stdout) => resolve(stdout));
      });
      assert.equal(shown, output);
    });
  }

  test('names scripts that exist, and the tarball that npm pack writes', () => {
    const [...named] = readme.matchAll(/npm run ([a-z:]+)/g);
    assert.ok(named.length > 0);
    for (const [, script = ''] of named) assert.ok(script in manifest.scripts, script);
    assert.ok(readme.includes(`simple-agents-${manifest.version}.tgz`));
  });

  test('has the right numbers of dependencies', () => {
    const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'];
    const direct = words[Object.keys(manifest.dependencies).length] ?? '';
    assert.match(readme, new RegExp(`\\b${direct} runtime dependencies`, 'i'));
    assert.ok(readme.includes(`${countPackages(root, 'run')} npm packages`));
  });

  test('has working links, and lines of at most 120 characters', () => {
    for (const [, path = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g)) assert.ok(existsSync(join(root, path)), path);
    const prose = readme.replaceAll(/^```[^]*?^```$/gm, '').split('\n');
    assert.deepEqual(
      prose.filter((line) => line.length > 120 && !line.startsWith('|')),
      [],
    );
  });
});
