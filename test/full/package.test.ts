// Tests the package as users get it: packed, checked, and installed into an empty project on every supported Node, where the
// first program of the README is type-checked and run. Also runs it under Deno and Bun.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { packInto, unpackInto } from '../../scripts/pack.ts';
import { nodeIn, platformPackage } from '../../scripts/pinned-node.mjs';
import { createServer } from '../../src/server/server.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { firstProgram } from '../support/readme.ts';

const root = join(import.meta.dirname, '../..');
const binaries = join(root, 'node_modules/.bin');
const isLinux = process.platform === 'linux' && process.arch === 'x64';
const nodeVersions = ['22.19.0', '24.21.0', '26.10.0'];
/** The examples that need no other files. */
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
  test('is reproducible', async () => {
    const again = await packInto(join(folder, 'second'));
    assert.ok((await readFile(tarball)).equals(await readFile(again)));
  });

  test('contains the required files and no others', async () => {
    const unpacked = await unpackInto(join(folder, 'unpacked'), tarball);
    const files = globSync('**/*', { cwd: unpacked, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1));
    const expected =
      /^(package\.json|README\.md|LICENSE|bin\/(simple-agents|forgeflare|launch\.js|package\.json)|dist\/.*\.(js|d\.ts)|dist\/web\/(index\.html|assets\/[\w-]+\.(js|css|svg)(\.br)?))$/;
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
      'dist/web/index.html',
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
    // Packages that users install themselves are outside of the project, so that they are not counted.
    await mkdir(join(folder, 'node_modules'));
    await symlink(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
    await writeFile(join(project, 'hello.ts'), firstProgram(await readFile(join(root, 'README.md'), 'utf8')));
    for (const name of examples) {
      const program = await readFile(join(root, 'examples', name), 'utf8');
      await writeFile(join(project, name), program.replace("'../src/index.ts'", "'simple-agents'"));
    }
  });

  test('installs few packages and little data', async () => {
    const manifests = globSync('node_modules/{*,@*/*}/package.json', { cwd: project });
    assert.ok(manifests.length <= 30, `${manifests.length} packages`);
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
      const argv = [
        join(project, 'node_modules/.bin/forgeflare'),
        '--demo',
        '--quiet',
        '--sandbox',
        'off',
        'Count to 3',
      ];
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

interface Runtime {
  readonly name: string;
  readonly version: string;
  /** The npm package with its binary for this machine. */
  readonly package: string;
  readonly binary: string;
  /** The arguments between the binary and the program. */
  readonly argv: readonly string[];
}

/** Calls a provider over HTTP, streamed and not streamed, with the runtime's own `fetch`. */
const overHttp = `
import { createClient } from 'simple-agents';
const client = createClient({ provider: 'openai', apiKey: 'key', baseUrl: process.argv[2], model: 'simulated' });
console.log((await client.complete('Count to 3')).text);
let text = '';
for await (const event of client.stream('Count to 3')) if (event.type === 'text-delta') text += event.text;
console.log(text);
await client.close();
`;

describe('under another runtime', { skip: isLinux ? false : 'the binaries are for Linux on x64' }, () => {
  const runtimes: readonly Runtime[] = [
    {
      name: 'Deno',
      version: '2.9.6',
      package: '@deno/linux-x64-glibc',
      binary: 'deno',
      argv: ['run', '--allow-all', '--node-modules-dir=manual'],
    },
    { name: 'Bun', version: '1.4.4', package: '@oven/bun-linux-x64', binary: 'bin/bun', argv: ['run'] },
  ];
  for (const runtime of runtimes) {
    test(`${runtime.name} ${runtime.version} runs hello world and calls a provider`, async (context) => {
      const binary = await installBinary(runtime);
      const hello = await run(binary, [...runtime.argv, 'hello.ts'], { cwd: project });
      assert.notEqual(hello.stdout.trim(), '');
      await writeFile(join(project, 'over-http.mjs'), overHttp);
      const server = createServer({ provider: createSimulatedProvider(), port: 0 });
      context.after(() => server.close());
      const argv = [...runtime.argv, 'over-http.mjs', `${await server.listen()}/v1`];
      assert.equal((await run(binary, argv, { cwd: project })).stdout, '1, 2, 3\n1, 2, 3\n');
    });
  }
});

async function installNode(version: string): Promise<string> {
  const name = platformPackage();
  const node = await installBinary({ package: name, version, binary: relative(`node_modules/${name}`, nodeIn('.')) });
  assert.equal((await run(node, ['--version'])).stdout, `v${version}\n`);
  return node;
}

/** Cached in node_modules/.cache, so that only the first run downloads it. */
async function installBinary(runtime: Pick<Runtime, 'package' | 'version' | 'binary'>): Promise<string> {
  const home = join(root, 'node_modules/.cache/runtimes', `${runtime.package}-${runtime.version}`);
  const binary = join(home, basename(runtime.binary));
  if (!existsSync(binary)) {
    const draft = await mkdtemp(join(folder, 'runtime-'));
    await writeFile(join(draft, 'package.json'), JSON.stringify({ private: true }));
    await run('npm', ['install', ...quiet, '--ignore-scripts', `${runtime.package}@${runtime.version}`], {
      cwd: draft,
    });
    await mkdir(home, { recursive: true });
    await copyFile(join(draft, 'node_modules', runtime.package, runtime.binary), `${binary}.draft`);
    await rename(`${binary}.draft`, binary);
  }
  return binary;
}
