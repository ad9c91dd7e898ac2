// The file tools on a real disk stay inside their roots, whatever links point to, and do not touch protected paths.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codingWorkspace, edit, file, refused } from '../support/coding-workspace.ts';
import { runs } from '../support/enumeration.ts';

describe('paths that lead out of the workspace', () => {
  const { root, outside, call, write } = codingWorkspace();
  writeFileSync(join(outside, 'secret.txt'), 'secret outside\n');
  mkdirSync(join(outside, 'folder'));
  write('inside/file.txt', 'inside\n');
  const links: Readonly<Record<string, string>> = {
    'link-file': '../outside/secret.txt',
    'link-absolute': join(outside, 'secret.txt'),
    'link-folder': '../outside',
    'link-dangling': '../outside/new.txt',
    'link-dangling-folder': '../outside/none/new.txt',
    'link-chain': 'link-file',
    'link-in': 'inside',
    'inside/up': '../..',
    'link-self': 'link-self',
    'link-proc': '/proc/self/root',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  const paths = [
    '../outside/secret.txt',
    'inside/../../outside/secret.txt',
    join(outside, 'secret.txt'),
    'link-file',
    'link-absolute',
    'link-folder/secret.txt',
    'link-chain',
    'inside/up/outside/secret.txt',
    'link-in/up/outside/secret.txt',
    `link-proc${outside}/secret.txt`,
    '/etc/hostname',
    '/proc/self/environ',
  ];
  const untouched = (): unknown => [readdirSync(outside), readFileSync(join(outside, 'secret.txt'), 'utf8')];
  const before = untouched();

  for (const path of paths) {
    test(path.replace(outside, 'OUTSIDE'), async () => {
      const outcomes = [
        await call('Read', file(path)),
        await call('Edit', edit(path, 'secret', 'x')),
        await call('Edit', edit(path, '', 'x')),
        await call('Write', { 'file_path': path, content: 'x' }),
        await call('Grep', { pattern: 'secret', path }),
        await call('Glob', { path }),
        await call('Glob', { pattern: `${path}*` }),
      ];
      for (const outcome of outcomes) {
        assert.doesNotMatch(outcome.text, /secret outside/);
        assert.equal(outcome.shown, '');
      }
      for (const outcome of outcomes.slice(0, 6)) refused(outcome, /is outside the workspace/);
      assert.deepEqual(untouched(), before);
    });
  }

  for (const path of [
    'link-dangling',
    'link-dangling-folder',
    'link-folder/new.txt',
    'link-folder/a/b.txt',
    '../new.txt',
  ]) {
    test(`creating ${path}`, async () => {
      refused(await call('Edit', edit(path, '', 'x')), /is outside the workspace/);
      refused(await call('Write', { 'file_path': path, content: 'x' }), /is outside the workspace/);
      assert.deepEqual(untouched(), before);
    });
  }

  test('a link in a circle', async () => {
    refused(await call('Read', file('link-self')), /^file_path: link-self is a circular link/);
    refused(await call('Write', { 'file_path': 'link-self', content: '' }), /circular link/);
  });

  test('a link inside is a way like any other, and stays a link', async () => {
    assert.equal((await call('Read', file('link-in/file.txt'))).text, 'inside\n');
    symlinkSync('inside/file.txt', join(root, 'alias'));
    assert.equal((await call('Edit', edit('alias', 'inside', 'changed'))).text, 'Edited inside/file.txt.');
    assert.equal(readlinkSync(join(root, 'alias')), 'inside/file.txt');
    symlinkSync('inside/made.txt', join(root, 'future'));
    assert.equal(
      (await call('Write', { 'file_path': 'future', content: 'x' })).text,
      'Created inside/made.txt (1 bytes).',
    );
  });

  test('a further root is allowed, its neighbour is not', async () => {
    const other = codingWorkspace({ extraRoots: [outside] });
    assert.equal((await other.call('Read', file(join(outside, 'secret.txt')))).text, 'secret outside\n');
    refused(await other.call('Read', file(`${outside}-else`)), /is outside the workspace/);
  });

  test('a folder exchanged for a link while files are written', async () => {
    const [swap, kept] = [join(root, 'swap'), join(root, 'kept')];
    mkdirSync(swap);
    /** While the path is missing for a moment, a tool may create a folder there. */
    const place = (put: () => void): void => {
      for (;;) {
        try {
          return put();
        } catch {
          rmSync(swap, { recursive: true, force: true });
        }
      }
    };
    const over = new AbortController();
    const swapping = (async () => {
      while (!over.signal.aborted) {
        renameSync(swap, kept);
        place(() => symlinkSync(outside, swap));
        await new Promise(setImmediate);
        rmSync(swap);
        place(() => renameSync(kept, swap));
        await new Promise(setImmediate);
      }
    })();
    for (let round = 0; round < runs(200, 50); round += 1) {
      await call('Write', { 'file_path': `swap/${round}.txt`, content: 'x' });
      const { text } = await call('Read', file('swap/secret.txt'));
      assert.doesNotMatch(text, /secret outside/);
    }
    over.abort();
    await swapping;
    assert.deepEqual(untouched(), before);
    assert.ok(readdirSync(swap).length > 0);
  });
});

describe('protected paths', () => {
  const { call, root, write } = codingWorkspace();
  write('.git/config', '[core]\n');
  write('.forgeflare/hooks.toml', '');
  symlinkSync('.git', join(root, 'innocent'));
  for (const path of [
    '.git/config',
    '.git/hooks/pre-commit',
    '.GIT/config',
    'sub/.git/config',
    '.git',
    'innocent/config',
    '.forgeflare/hooks.toml',
    '.forgeflare/new',
    '.claude/settings.json',
    '.codex/config.toml',
    '.mcp.json',
    'packages/a/.mcp.json',
  ]) {
    test(`${path} is not written`, async () => {
      refused(await call('Edit', edit(path, '', 'x')), /belongs to git|is protected: /);
      refused(await call('Write', { 'file_path': path, content: 'x' }), /belongs to git|is protected: /);
    });
  }

  test('they can be read, and their like written', async () => {
    assert.equal((await call('Read', file('.git/config'))).text, '[core]\n');
    assert.equal((await call('Write', { 'file_path': '.gitignore', content: 'x' })).isError, false);
    assert.equal((await call('Write', { 'file_path': 'git/config', content: 'x' })).isError, false);
  });

  test('the agent’s own files are protected where they lie in a root', async () => {
    const other = codingWorkspace();
    const state = join(other.outside, 'state.json');
    const { call: callInside } = codingWorkspace({ extraRoots: [other.outside], protectedPaths: [state] });
    refused(await callInside('Write', { 'file_path': state, content: '{}' }), /is protected: it belongs to the agent/);
  });

  test('the hooks of the repository in a further root are protected', async () => {
    const other = codingWorkspace();
    execFileSync('git', ['init', '-q', other.root]);
    execFileSync('git', ['-C', other.root, 'config', 'core.hooksPath', 'scripts/hooks']);
    const { call: callInside } = codingWorkspace({ extraRoots: [other.root] });
    const hook = join(other.root, 'scripts/hooks/pre-commit');
    refused(await callInside('Write', { 'file_path': hook, content: 'x' }), /is protected: git executes it/);
    const beside = { 'file_path': join(other.root, 'scripts/build.sh'), content: 'x' };
    assert.equal((await callInside('Write', beside)).isError, false);
  });

  test('keys of the user are not opened, also when the workspace is the home', async () => {
    const home = codingWorkspace();
    const inside = codingWorkspace({ root: home.root, home: home.root });
    home.write('.ssh/id_rsa', 'canary-key\n');
    home.write('.netrc', 'canary-key\n');
    home.write('notes.txt', 'canary-key in a note\n');
    symlinkSync('.ssh', join(home.root, 'keys'));
    for (const path of ['.ssh/id_rsa', '.netrc', 'keys/id_rsa']) {
      refused(await inside.call('Read', file(path)), /contains keys or tokens of the user/);
      refused(await inside.call('Grep', { pattern: 'canary', path }), /contains keys or tokens of the user/);
    }
    assert.equal((await inside.call('Grep', { pattern: 'canary' })).text, 'notes.txt:1:canary-key in a note');
    assert.doesNotMatch((await inside.call('Glob', { recursive: true })).text, /id_rsa/);
  });
});
