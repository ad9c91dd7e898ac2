// The package as users get it: packed, checked, installed into an empty project on every supported Node, where the
// README's first program is type-checked and run.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { packInto, unpackInto } from '../../scripts/pack.ts';
import { nodeIn, platformPackage } from '../../scripts/pinned-node.mjs';
import { firstProgram } from '../support/readme.ts';

const root = join(import.meta.dirname, '../..');
const binaries = join(root, 'node_modules/.bin');
const nodeVersions = ['22.19.0', '24.21.0', '26.10.0'];
/** Those that need nothing beside them. */
const examples = ['stream.ts', 'tools.ts', 'images.ts', 'structured.ts', 'typed.ts', 'cancel.ts', 'errors.ts'];
const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
const run = promisify(execFile);

let folder = '';
let tarball = '';
let project = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'));
  tarball = await packInto(join(folder, 'first'));
});

after(() => rm(folder, { recursive: true }));

describe('the packed package', () => {
  test('is the same when packed again', async () => {
    const again = await packInto(join(folder, 'second'));
    assert.ok((await readFile(tarball)).equals(await readFile(again)));
  });

  test('holds what it needs and nothing else', async () => {
    const unpacked = await unpackInto(join(folder, 'unpacked'), tarball);
    const files = globSync('**/*', { cwd: unpacked, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1));
    const expected =
      /^(package\.json|README\.md|LICENSE|bin\/(simple-agents|forgeflare|launch\.js|package\.json)|dist\/.*\.(js|d\.ts))$/;
    assert.deepEqual(
      files.filter((file) => !expected.test(file) || /\.test\./.test(file)),
      [],
    );
    for (const file of [
      'LICENSE',
      'README.md',
      'dist/index.js',
      'dist/types/index.d.ts',
      'dist/cli/simple-agents.js',
      'dist/cli/forgeflare.js',
    ]) {
      assert.ok(files.includes(file), `${file} is missing`);
    }
  });

  test('satisfies publint', async () => {
    await run(join(binaries, 'publint'), ['--strict', tarball], { cwd: root });
  });

  test('has types that resolve', async () => {
    await run(join(binaries, 'attw'), [tarball, '--profile', 'esm-only'], { cwd: root });
  });
});

describe('installed in an empty project', () => {
  before(async () => {
    project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await run('npm', ['install', ...quiet, tarball], { cwd: project });
    // What users bring themselves stands beside the project, so that it does not count.
    await mkdir(join(folder, 'node_modules'));
    await symlink(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
    await writeFile(join(project, 'hello.ts'), firstProgram(await readFile(join(root, 'README.md'), 'utf8')));
    for (const name of examples) {
      const program = await readFile(join(root, 'examples', name), 'utf8');
      await writeFile(join(project, name), program.replace("'../src/index.ts'", "'simple-agents'"));
    }
  });

  test('brings few packages and little weight', async () => {
    const manifests = globSync('node_modules/{*,@*/*}/package.json', { cwd: project });
    assert.ok(manifests.length <= 20, `${manifests.length} packages`);
    const files = globSync('node_modules/**/*', { cwd: project, withFileTypes: true });
    const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
    const megabytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0) / 1e6;
    assert.ok(megabytes <= 30, `${megabytes} MB`);
  });

  test("type-checks the README's hello world, which is short, and the examples", async () => {
    const program = await readFile(join(project, 'hello.ts'), 'utf8');
    assert.ok(program.trim().split('\n').length < 10, program);
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    await writeFile(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['hello.ts', ...examples] }),
    );
    await run(join(binaries, 'tsc'), ['--project', project]);
  });

  for (const version of nodeVersions) {
    test(`runs on Node ${version}`, async () => {
      const node = await installNode(version);
      const command = join(project, 'node_modules/.bin/simple-agents');
      const { version: own } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
      assert.deepEqual(await run(node, [command, '--version']), { stdout: `${own}\n`, stderr: '' });
      const help = await run(node, [command, '--help']);
      assert.match(help.stdout, /simple-agents/);
      assert.equal(help.stderr, '');
      const argv = [join(project, 'node_modules/.bin/forgeflare'), '--quiet', '--sandbox', 'off', 'Count to 3'];
      const agent = run(node, argv, { cwd: project });
      agent.child.stdin?.end();
      assert.deepEqual(await agent, { stdout: '1, 2, 3\n', stderr: '' });
      for (const program of ['hello.ts', ...examples]) {
        const { stdout } = await run(node, [program], { cwd: project });
        assert.notEqual(stdout.trim(), '', program);
      }
    });
  }
});

/** Kept in node_modules/.cache, so that only the first run downloads. */
async function installNode(version: string): Promise<string> {
  const home = join(root, 'node_modules/.cache/nodes', version);
  const node = join(home, 'node');
  if (!existsSync(node)) {
    const draft = await mkdtemp(join(folder, 'node-'));
    await writeFile(join(draft, 'package.json'), JSON.stringify({ private: true }));
    await run('npm', ['install', ...quiet, '--ignore-scripts', `${platformPackage()}@${version}`], { cwd: draft });
    await mkdir(home, { recursive: true });
    await copyFile(nodeIn(draft), `${node}.draft`);
    await rename(`${node}.draft`, node);
  }
  assert.equal((await run(node, ['--version'])).stdout, `v${version}\n`);
  return node;
}
