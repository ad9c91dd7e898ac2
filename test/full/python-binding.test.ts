// The Python package as users get it: the wheel is built, installed and tested with pytest; its types, its size and the
// versions of Python that it runs on are checked; the source distribution is built and installed.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { repository, run, targetFolder } from '../support/native-library.ts';
import { pyright, pythonFolder, pythonPackage, skipPython, withCargo } from '../support/python-package.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const inPackage = { cwd: pythonFolder };
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
const maxWheelBytes = 4_000_000;

describe('the Python package', { skip: skipPython }, () => {
  test('passes its tests', async (context) => {
    const { programs } = await pythonPackage();
    const command = `${process.execPath} ${join(repository, 'bin/simple-agents')}`;
    const output = await run(join(programs, 'pytest'), ['-p', 'no:cacheprovider', '--tb=short'], {
      ...inPackage,
      env: { SIMPLE_AGENTS_COMMAND: command },
    });
    context.diagnostic(output.trim().split('\n').at(-1) ?? '');
    assert.match(output, /\d+ passed/);
    assert.doesNotMatch(output, /failed|error/);
  });

  test('has types that mypy and pyright accept', async () => {
    const { programs } = await pythonPackage();
    await run(join(programs, 'mypy'), ['--cache-dir', join(programs, '../mypy')], inPackage);
    const python = ['--pythonpath', join(programs, 'python')];
    await run(process.execPath, [await pyright(), '--warnings', ...python], inPackage);
  });

  test('is small, and uses only what Python 3.9 has', async (context) => {
    const { programs, wheel } = await pythonPackage();
    const { size } = statSync(wheel);
    context.diagnostic(`the wheel has ${(size / 1e6).toFixed(2)} MB`);
    assert.ok(size <= maxWheelBytes, `${size} bytes`);
    await run(join(programs, 'abi3audit'), ['--strict', wheel], inPackage);
    await run(join(programs, 'vermin'), ['--target=3.9-', '--no-tips', '--violations', 'src', 'examples'], inPackage);
    await run(join(programs, 'ruff'), ['check', '--no-cache', '.'], inPackage);
    await run(join(programs, 'ruff'), ['format', '--no-cache', '--check', '.'], inPackage);
  });

  test('installs from its source distribution', { timeout: 1_200_000 }, async () => {
    const { programs } = await pythonPackage();
    const folder = temporaryFolder().path;
    await run(join(programs, 'maturin'), ['sdist', '-o', folder], inPackage);
    await run('python3', ['-m', 'venv', join(folder, 'fresh')]);
    // The dependencies are those of the wheel, which are already compiled.
    const env = { ...withCargo, MATURIN_PEP517_ARGS: '--locked', CARGO_TARGET_DIR: targetFolder };
    await run(join(folder, 'fresh/bin/pip'), ['install', '-q', join(folder, `simple_agents-${version}.tar.gz`)], {
      env,
    });
    const hello = join(pythonFolder, 'examples/hello.py');
    assert.match(await run(join(folder, 'fresh/bin/python'), [hello], { cwd: folder }), /^Hello! I am the simulated/);
  });
});
