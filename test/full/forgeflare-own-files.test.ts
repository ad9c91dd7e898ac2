// The agent's own files: git ignores sessions, and a session that a command deletes is restored.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forgeflare, projects, reaching, startModel, type Project } from '../support/forgeflare-process.ts';

const newProject = projects();
const unheld = ['--sandbox', 'off', '--permission', 'full'];

function git({ path, home }: Project, ...argv: readonly string[]): string {
  const who = ['-c', 'user.name=me', '-c', 'user.email=me@example.com'];
  return execFileSync('git', [...who, ...argv], {
    cwd: path,
    env: { PATH: process.env['PATH'], HOME: home },
    encoding: 'utf8',
  });
}

const bash = (command: string): object => ({ toolCalls: [{ name: 'Bash', input: { command } }] });

describe('a session', () => {
  for (const [name, files] of [
    ['a fresh repository', {}],
    ['a repository of another tool', { '.entire/.gitignore': 'tmp/\n', '.entire/settings.json': '{}\n' }],
    ['a repository that takes sessions in', { '.entire/.gitignore': '!metadata/**\n' }],
  ] as const) {
    test(`is not committed in ${name}, also by the agent itself`, async (context) => {
      const project = newProject({ 'a.txt': 'a\n', ...files });
      git(project, 'init', '--quiet');
      const commit = 'git add -A && git -c user.name=me -c user.email=me@example.com commit -qm all';
      const server = await startModel(context, { replies: [bash(commit), { text: 'Done.' }] });
      const { exitCode, err } = await forgeflare(project, [...unheld, 'commit it'], { env: reaching(server) });
      assert.equal(exitCode, 0, err);
      const expected = ['a.txt', ...Object.keys(files)].toSorted();
      assert.deepEqual(git(project, 'ls-files').trim().split('\n').toSorted(), expected);
      git(project, 'add', '-A');
      assert.equal(git(project, 'status', '--porcelain'), '');
      for (const [file, content] of Object.entries(files)) {
        assert.equal(readFileSync(join(project.path, file), 'utf8'), content, `${file} is untouched`);
      }
    });
  }

  for (const command of [
    // A file of ours that is being replaced may vanish while git looks at it.
    'git clean -fdxq || git clean -fdxq',
    'rm -rf .entire',
    'find . -name full.jsonl -delete',
    ': > .entire/metadata/*/full.jsonl',
  ]) {
    test(`survives ${command}, with a warning`, async (context) => {
      const project = newProject({ 'a.txt': 'a\n' });
      git(project, 'init', '--quiet');
      git(project, 'add', '-A');
      git(project, 'commit', '-qm', 'one');
      const server = await startModel(context, {
        replies: [{ text: 'First.' }, bash(command), { text: 'Cleaned.' }, { text: 'Goodbye.' }],
      });
      const env = reaching(server);
      await forgeflare(project, [...unheld, 'remember this'], { env });
      const { exitCode, err } = await forgeflare(project, [...unheld, '--continue', 'clean up'], { env });
      assert.equal(exitCode, 0, err);
      assert.match(
        err,
        /\[warning\] session: another program deleted, replaced or truncated \S+full\.jsonl; it was (restored|rebuilt)/,
      );
      const more = await forgeflare(project, [...unheld, '--continue', 'bye'], { env });
      assert.equal(more.out, 'Goodbye.\n');
      const { out } = await forgeflare(project, ['sessions', 'show', 'last']);
      assert.match(out, /> remember this\n\nFirst\.[^]*> clean up[^]*Cleaned\.[^]*> bye\n\nGoodbye\./);
      const [folder = ''] = globSync('.entire/metadata/2*', { cwd: project.path });
      assert.match(readFileSync(join(project.path, folder, 'prompt.txt'), 'utf8'), /^remember this\n[^]*clean up/);
      assert.ok(existsSync(join(project.path, '.entire/metadata/.gitignore')));
    });
  }
});
