// Git in the sandbox, with a real kernel, git and tools: neither commands nor file tools can write what git would execute,
// and a linked worktree works without access to the main checkout.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { probeSandbox } from '../../src/coder/sandbox/sandbox.ts';
import { userGitConfigs } from '../../src/coder/sandbox/git-config.ts';
import { openSandbox } from '../../src/coder/sandbox/run-sandbox.ts';
import { codingWorkspace, edit, plainEnvironment, refused, type CodingWorkspace } from '../support/coding-workspace.ts';
import { commandPart, skipWithout } from '../support/requirement.ts';
import { visibleBase } from '../support/sandbox/visible-folder.ts';

const base = visibleBase();
const availability = await probeSandbox(process.env['PATH'] ?? '');
const skip =
  skipWithout(commandPart('bwrap', 'bubblewrap')) ||
  (availability.isAvailable ? false : `impossible on this kernel: ${availability.reason}`) ||
  (base === undefined ? 'impossible here: no folder can be written that the sandbox shows' : false);

const folder = realpathSync(mkdtempSync(join(base ?? tmpdir(), 'sandbox-git-')));
after(() => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, 'home');
mkdirSync(home);
const environment = { ...plainEnvironment, HOME: home };

function git(cwd: string, ...argv: string[]): string {
  return execFileSync('git', argv, { cwd, env: environment, encoding: 'utf8', stdio: 'pipe' });
}

function put(root: string, name: string, content = '#!/bin/sh\nexit 0\n'): string {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content, { mode: 0o755 });
  return join(root, name);
}

function repository(name: string): string {
  const root = join(folder, name);
  mkdirSync(root, { recursive: true });
  git(root, 'init', '--quiet', '--initial-branch', 'main');
  git(root, 'config', 'user.name', 'Test');
  git(root, 'config', 'user.email', 'test@example.com');
  put(root, 'a.txt', 'a\n');
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'first');
  return root;
}

interface Project extends CodingWorkspace {
  readonly bash: (command: string) => Promise<{ text: string; isError: boolean }>;
}

async function open(root: string, searchPath = process.env['PATH'] ?? ''): Promise<Project> {
  const place = { root, home, protectedPaths: [], gitConfigFiles: userGitConfigs(home) };
  const { enter } = await openSandbox({ mode: 'workspace', searchPath }, place);
  const workspace = codingWorkspace({
    root,
    home,
    environment: { ...environment, PATH: searchPath },
    ...(enter === undefined ? {} : { enter }),
  });
  return { ...workspace, bash: (command) => workspace.call('Bash', { command }) };
}

/** Neither a command nor a file tool can make the file say anything. */
async function cannotWrite(project: Project, root: string, name: string): Promise<void> {
  const path = join(root, name);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const parent = dirname(name);
  for (const command of [
    `mkdir -p ${parent}; echo evil > ${name}`,
    `echo evil > new && mv -f new ${name}`,
    `mv ${parent} moved && mkdir -p ${parent} && echo evil > ${name}`,
    `rm -rf ${parent}; mkdir -p ${parent}; echo evil > ${name}`,
    `ln -sfn /tmp ${parent}; ln -sf /tmp/x ${name}`,
  ]) {
    // Without a parent of its own there is nothing to exchange, and the repository must survive the test.
    if (['.', '.git'].includes(parent) && command.includes(` ${parent}`)) continue;
    await project.bash(command);
    const now = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    assert.equal(now, before, command);
  }
  refused(await project.call('Write', { 'file_path': name, content: 'evil' }), /git/);
  refused(await project.call('Edit', edit(name, '', 'evil')), /git/);
  assert.equal(existsSync(path) ? readFileSync(path, 'utf8') : undefined, before);
}

describe('what git executes', { skip }, () => {
  const cases: readonly (readonly [title: string, set: (root: string) => void, names: readonly string[]])[] = [
    ['hooks in .git', () => undefined, ['.git/hooks/pre-commit']],
    [
      'a relative hook folder',
      hooksPath('.githooks', '.githooks/pre-commit'),
      ['.githooks/pre-commit', '.githooks/pre-push'],
    ],
    [
      'an absolute hook folder',
      (root) => hooksPath(join(root, 'tools/hooks'), 'tools/hooks/pre-commit')(root),
      ['tools/hooks/pre-commit'],
    ],
    ['a hook folder that does not exist yet', hooksPath('.husky'), ['.husky/pre-commit']],
    ['a deep hook folder that does not exist yet', hooksPath('.config/git/hooks'), ['.config/git/hooks/pre-commit']],
    [
      'the stubs of husky and what they call',
      hooksPath('.husky/_', '.husky/_/pre-commit', '.husky/pre-commit'),
      ['.husky/_/pre-commit', '.husky/pre-commit', '.husky/pre-push'],
    ],
    [
      'a hook folder behind a link',
      (root) => {
        put(root, 'real/pre-commit');
        symlinkSync('real', join(root, 'hooks'));
        git(root, 'config', 'core.hooksPath', 'hooks');
      },
      ['hooks/pre-commit', 'real/pre-commit'],
    ],
    [
      'a hook folder named in worktree settings',
      (root) => {
        put(root, 'h/pre-commit');
        git(root, 'config', 'extensions.worktreeConfig', 'true');
        git(root, 'config', '--worktree', 'core.hooksPath', 'h');
      },
      ['h/pre-commit', '.git/config.worktree'],
    ],
    [
      'a hook folder named in an included file',
      (root) => {
        put(root, 'h/pre-commit');
        put(root, '.gitsettings', '[core]\n\thooksPath = "h" ; the hooks\n');
        git(root, 'config', 'include.path', '../.gitsettings');
      },
      ['h/pre-commit', '.gitsettings'],
    ],
    [
      'an included file that does not exist yet',
      (root) => void git(root, 'config', 'includeIf.onbranch:x.path', '../.later'),
      ['.later'],
    ],
    [
      'scripts that a hook calls',
      (root) => {
        put(root, 'scripts/check.sh', '#!/bin/sh\n. "$(dirname "$0")/common.inc"\n');
        put(root, 'scripts/common.inc');
        put(root, '.git/hooks/pre-commit', '#!/bin/sh\nexec ./scripts/check.sh "$@"\n');
      },
      ['scripts/check.sh', 'scripts/common.inc'],
    ],
    [
      'programs that settings name',
      (root) => {
        put(root, 'tools/monitor');
        put(root, 'tools/clean.py');
        git(root, 'config', 'core.fsmonitor', 'tools/monitor');
        git(root, 'config', 'filter.x.clean', 'python3 tools/clean.py %f');
      },
      ['tools/monitor', 'tools/clean.py'],
    ],
  ];
  for (const [index, [title, set, names]] of cases.entries()) {
    test(title, async () => {
      const root = repository(`case-${index}`);
      set(root);
      const project = await open(root);
      for (const name of names) await cannotWrite(project, root, name);
      const worked = await project.bash(
        'echo b > b.txt && git add b.txt && git commit --no-verify -qm second && git log --oneline',
      );
      assert.match(worked.text, /second\n.*first/);
      assert.equal(worked.isError, false, worked.text);
      refused(await project.call('Write', { 'file_path': '.git/config', content: '' }), /git/);
      assert.equal((await project.call('Write', { 'file_path': 'c.txt', content: 'c' })).isError, false);
      for (const left of ['.husky', '.config', '.forgeflare'])
        assert.equal(
          existsSync(join(root, left)),
          left === names[0]?.split('/')[0] && existsSync(join(root, names[0])),
          left,
        );
    });
  }

  test('a hook folder of the global settings, and of one named with a tilde', async () => {
    const root = join(home, 'project');
    repository('home/project');
    put(root, 'shared/pre-commit');
    writeFileSync(join(home, '.gitconfig'), '[core]\n\thooksPath = ~/project/shared\n');
    await cannotWrite(await open(root), root, 'shared/pre-commit');
    rmSync(join(home, '.gitconfig'));
  });

  test('a link that a command replaces is restored', async () => {
    const root = repository('links');
    put(root, 'real/pre-commit');
    symlinkSync('real', join(root, 'hooks'));
    git(root, 'config', 'core.hooksPath', 'hooks');
    const { text } = await (await open(root)).bash('rm hooks && mkdir hooks && echo evil > hooks/pre-commit');
    assert.match(text, /hooks is protected; the file that the command created there was moved aside/);
    assert.equal(readlinkSync(join(root, 'hooks')), 'real');
  });

  test('a submodule keeps the folder its .git file names', async () => {
    const other = repository('library');
    const root = repository('with-submodule');
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'lib');
    git(root, 'commit', '--quiet', '-m', 'submodule');
    const pointer = readFileSync(join(root, 'lib/.git'), 'utf8');
    const { bash } = await open(root);
    await bash('rm -rf lib/.git && mkdir lib/.git && echo evil > lib/.git/config');
    await bash('mv lib lib2 && mkdir -p lib/.git && echo evil > lib/.git/config');
    await bash('echo evil > .git/modules/lib/hooks/pre-commit; echo evil >> .git/modules/lib/config');
    assert.equal(readFileSync(join(root, 'lib/.git'), 'utf8'), pointer);
    assert.equal(existsSync(join(root, '.git/modules/lib/hooks/pre-commit')), false);
    assert.equal((await bash('git status --short && echo x > lib/new.txt')).isError, false);
  });
});

describe('a repository inside the workspace', { skip }, () => {
  const make = 'git init -q inner && git -C inner -c user.name=a -c user.email=a@b commit -q --allow-empty -m x';

  for (const version of ['2', '4']) {
    test(`that a command makes and puts into the index runs nothing later (index version ${version})`, async () => {
      const root = repository(`gitlink-${version}`);
      for (const name of ['folder/a.txt', 'folder/b.txt', 'infix.txt']) put(root, name, 'x');
      git(root, 'add', '.');
      git(root, 'update-index', '--index-version', version);
      const canary = join(folder, `ran-${version}`);
      const { bash } = await open(root);
      const evil = `git -C inner config core.fsmonitor 'touch ${canary}; false'`;
      const { text } = await bash(`${make} && ${evil} && git add inner`);
      assert.match(text, /inner\/\.git is protected; the file that the command created there was moved aside/);
      git(root, 'status');
      assert.equal(existsSync(canary), false);
      assert.equal(existsSync(join(root, 'inner/.git')), false);
    });
  }

  test('that was in the index keeps its hooks and settings, and can be worked in', async () => {
    const root = repository('gitlink-known');
    repository('gitlink-known/inner');
    git(root, 'add', 'inner');
    const project = await open(root);
    for (const name of ['inner/.git/hooks/pre-commit', 'inner/.git/config']) {
      const before = existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined;
      assert.equal((await project.bash(`echo evil > ${name}`)).isError, true);
      assert.equal(existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : undefined, before);
    }
    assert.equal((await project.bash('cd inner && git commit -q --allow-empty -m y')).isError, false);
    git(root, 'config', '--file', join(root, 'inner/.git/config'), 'core.hooksPath', 'h');
    await cannotWrite(project, root, 'inner/h/pre-commit');
  });

  test('is never moved where a link leads', async () => {
    const victim = repository('gitlink-victim');
    const root = repository('gitlink-link');
    const { bash } = await open(root);
    const head = git(victim, 'rev-parse', 'HEAD').trim();
    await bash(`ln -s ${victim} evil && git update-index --add --cacheinfo 160000,${head},evil`);
    assert.equal(existsSync(join(victim, '.git/HEAD')), true);
    git(root, 'config', 'include.path', '../absent/settings');
    put(folder, 'elsewhere/settings', 'kept');
    await (await open(root)).bash(`ln -s ${join(folder, 'elsewhere')} absent`);
    assert.equal(readFileSync(join(folder, 'elsewhere/settings'), 'utf8'), 'kept');
    assert.equal(existsSync(join(root, 'absent/settings')), false);
  });
});

function hooksPath(value: string, ...files: string[]): (root: string) => void {
  return (root) => {
    for (const name of files) put(root, name);
    git(root, 'config', 'core.hooksPath', value);
  };
}

function linked(name: string): { main: string; root: string } {
  const main = repository(`main-${name}`);
  const root = join(folder, `tree-${name}`);
  git(main, 'worktree', 'add', '--quiet', '-b', 'topic', root);
  return { main, root };
}

describe('a linked worktree', { skip }, () => {
  test('works: status, add, commit, log, branch, stash, rebase', async () => {
    const { main, root } = linked('work');
    const { bash } = await open(root);
    for (const command of [
      'git status --short',
      'echo b > b.txt && git add b.txt && git commit -qm second',
      'git log --oneline | grep second',
      'git branch other && git branch --list | grep other',
      'git switch -q other && git switch -q topic',
      'echo c >> b.txt && git stash && git stash pop && git checkout -q b.txt',
      'git tag v1 && git tag -d v1 && git pack-refs --all',
      'git reset -q --soft HEAD~1 && git commit -qm again && git rebase -q main',
    ]) {
      const { text, isError } = await bash(command);
      assert.equal(isError, false, `${command}\n${text}`);
    }
    assert.match(git(main, 'log', '--oneline', 'topic'), /again/);
    assert.equal(git(main, 'status', '--short'), '');
  });

  test('opens nothing else of the main checkout', async () => {
    const { main, root } = linked('closed');
    git(main, 'worktree', 'add', '--quiet', '-b', 'third', join(folder, 'tree-third'));
    const { bash } = await open(root);
    for (const name of [
      'a.txt',
      'new.txt',
      '.git/config',
      '.git/hooks/pre-commit',
      '.git/HEAD',
      '.git/index',
      '.git/info/attributes',
      '.git/worktrees/tree-third/HEAD',
      '.git/worktrees/tree-closed/commondir',
      '.git/worktrees/tree-closed/gitdir',
    ]) {
      const path = join(main, name);
      const before = existsSync(path) ? readFileSync(path, 'latin1') : undefined;
      const { isError, text } = await bash(`echo evil > ${path}`);
      assert.equal(isError, true, `${name}: ${text}`);
      assert.equal(existsSync(path) ? readFileSync(path, 'latin1') : undefined, before, name);
    }
    for (const name of ['.git/commondir', '.git/config.worktree', '.git/worktrees/tree-closed/config.worktree']) {
      await bash(`echo evil > ${join(main, name)}`);
      assert.equal(existsSync(join(main, name)), false, name);
    }
    assert.equal((await bash(`rm -f .git; mv .git x; echo "gitdir: /tmp" > .git`)).isError, true);
    assert.equal(git(root, 'status', '--short'), '');
  });

  test('below the workspace can be made, worked in and removed', async () => {
    const { bash } = await open(repository('own-worktree'));
    for (const command of [
      'git worktree add -q side -b side',
      'cd side && git commit -q --allow-empty -m third && git log --oneline | grep third',
      'git worktree remove side',
    ]) {
      const { text, isError } = await bash(command);
      assert.equal(isError, false, `${command}\n${text}`);
    }
  });

  test('elsewhere keeps its pointers, seen from the main checkout', async () => {
    const { main } = linked('elsewhere');
    const { bash } = await open(main);
    for (const name of ['commondir', 'gitdir']) {
      const path = join(main, '.git/worktrees/tree-elsewhere', name);
      const before = readFileSync(path, 'utf8');
      assert.equal((await bash(`echo evil > ${path}`)).isError, true);
      await bash(
        `mv .git/worktrees/tree-elsewhere .git/x; mkdir -p .git/worktrees/tree-elsewhere; echo evil > ${path}`,
      );
      assert.equal(readFileSync(path, 'utf8'), before);
    }
  });

  test('is believed only when the repository names it', async () => {
    const victim = repository('victim');
    git(victim, 'worktree', 'add', '--quiet', '-b', 'topic', join(folder, 'tree-of-victim'));
    const root = join(folder, 'attacker');
    mkdirSync(root);
    for (const target of [join(victim, '.git/worktrees/tree-of-victim'), join(victim, '.git')]) {
      writeFileSync(join(root, '.git'), `gitdir: ${target}\n`);
      const { isError } = await (await open(root)).bash(`echo evil > ${join(victim, '.git/refs/heads/evil')}`);
      assert.equal(isError, true);
      assert.equal(existsSync(join(victim, '.git/refs/heads/evil')), false);
    }
  });
});

describe('a write the sandbox denied', { skip }, () => {
  const sayings: readonly (readonly [command: string, path: string])[] = [
    ['git branch --set-upstream-to=main topic', '.git/config'],
    ['git branch --set-upstream-to=main topic > /dev/null 2>&1', '.git/config'],
    ['git config user.name Other || true', '.git/config'],
    ['git remote add origin https://example.com/x.git; true', '.git/config'],
    ['echo x > .git/hooks/pre-commit; true', '.git/hooks'],
    ['echo x > .forgeflare/hooks.toml; true', '.forgeflare'],
  ];
  for (const [index, [command, path]] of sayings.entries()) {
    test(`is an error that says so: ${command}`, async () => {
      const root = repository(`denied-${index}`);
      git(root, 'branch', '--force', 'topic');
      const { bash } = await open(root);
      const { text, isError } = await bash(command);
      assert.equal(isError, true, text);
      assert.ok(text.includes(`[the sandbox keeps ${path} read-only`), text);
      assert.match(text, /--sandbox off/);
    });
  }

  test('outside the workspace is named when the command failed', async () => {
    const { bash } = await open(repository('outside-write'));
    const failed = await bash('git config --global user.name Other');
    assert.match(failed.text, /\[the sandbox allows writing only in the workspace and \/tmp\. .*--sandbox off\]$/);
    assert.equal(failed.isError, true);
    assert.equal((await bash('touch "$HOME/cache"; true')).isError, false);
  });

  test('is not seen where there was none', async () => {
    const { bash } = await open(repository('calm'));
    for (const command of [
      'git status && git commit --allow-empty -qm x && git config user.name',
      'echo "x: Read-only file system"',
      'cat .git/config',
    ]) {
      const { text, isError } = await bash(command);
      assert.equal(isError, false, text);
      assert.doesNotMatch(text, /sandbox keeps/);
    }
  });
});

describe('programs that a command puts into PATH', { skip }, () => {
  test('do not run outside the sandbox', async () => {
    const root = repository('own-programs');
    const canary = join(folder, 'canary');
    const bin = join(root, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(bin, join(folder, 'linked-bin'));
    const searchPath = [bin, join(folder, 'linked-bin'), 'node_modules/.bin', process.env['PATH']].join(':');
    const project = await open(root, searchPath);
    const names = ['sh', 'bash', 'rg', 'bwrap', 'env', 'git'].join(' ');
    await project.bash(
      `for name in ${names}; do printf '#!/bin/sh\\ntouch ${canary}\\n' > node_modules/.bin/$name; chmod +x node_modules/.bin/$name; done`,
    );
    assert.ok(existsSync(join(bin, 'sh')));
    await project.bash('true');
    await project.call('Grep', { pattern: 'a' });
    await (await open(root, searchPath)).bash('true');
    assert.equal(existsSync(canary), false);
  });
});
