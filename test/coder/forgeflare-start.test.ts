// A start that fails: what a script gets, and what it must not find from an earlier run.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { main } from '../../src/cli/forgeflare/main.ts';
import { projects } from '../support/forgeflare-process.ts';
import { MemoryTerminal, runCli } from '../support/memory-terminal.ts';

const newProject = projects();
const noServers = '{"mcpServers":{}}';

async function run(argv: readonly string[], project = newProject()) {
  const env = { HOME: project.home, PATH: '/usr/bin:/bin' };
  const terminal = new MemoryTerminal({ input: '', cwd: project.path, env });
  const exitCode = await main(['--sandbox', 'off', ...argv], terminal);
  await new Promise(setImmediate);
  return { exitCode, out: terminal.out, err: terminal.err };
}

describe('an error as JSON is one line', () => {
  const failures: readonly (readonly [name: string, argv: readonly string[], exitCode: number, message: RegExp])[] = [
    ['of the configuration', ['--config', 'none.toml', 'do it'], 2, /none\.toml: file not found/],
    ['of a missing key', ['do it'], 3, /no API key found/],
    ['of an unknown option', ['--nosuch', 'do it'], 2, /unknown option '--nosuch'/],
    ['of a missing value', ['do it', '--model'], 2, /argument missing/],
    ['of a wrong value', ['--permission', 'some', 'do it'], 2, /--permission/],
    ['of a missing prompt', [], 2, /./],
  ];
  for (const [name, argv, expected, message] of failures) {
    for (const format of [['--output-format', 'json'], ['--output-format=json']]) {
      test(`${name}, ${format.join(' ')}`, async () => {
        const { exitCode, out } = await run([...format, ...argv]);
        assert.equal(exitCode, expected);
        assert.match(out, /^\{[^\n]*\}\n$/);
        const { error } = JSON.parse(out) as { error: { message: string; exitCode: number } };
        assert.match(error.message, message);
        assert.equal(error.exitCode, expected);
      });
    }
  }

  test('and only if it is asked for', async () => {
    assert.equal((await run(['--nosuch', 'do it'])).out, '');
    assert.equal((await run(['--nosuch', '--', '--output-format', 'json'])).out, '');
    assert.match((await run(['--output-format', 'json', '--help'])).out, /Usage/);
  });

  test('also of simple-agents', async () => {
    const { exitCode, out, err } = await runCli(['complete', '--output', 'json', '--nosuch', 'hi']);
    assert.equal(exitCode, 2);
    assert.match((JSON.parse(out) as { error: { message: string } }).error.message, /unknown option '--nosuch'/);
    assert.match(err, /unknown option '--nosuch'/);
  });
});

describe('an option before the prompt takes one value', () => {
  const options: readonly (readonly string[])[] = [
    ['--mcp-config', noServers],
    ['--mcp-config', noServers, '--mcp-config', noServers],
    ['--add-dir', '..'],
    ['--add-dir', '..', '--add-dir', '.', '--mcp-config', noServers],
  ];
  for (const argv of options) {
    test(argv.join(' '), async () => {
      const { exitCode, out, err } = await run(['--demo', ...argv, 'Count to 3']);
      assert.deepEqual([exitCode, out], [0, '1, 2, 3\n'], err);
    });
  }
});

describe('a start that fails removes the convergence file of the last run', () => {
  const signal = '{"observations":[],"final":{"reason":"convergence_signal"}}';
  const failures: readonly (readonly [
    name: string,
    argv: readonly string[],
    files: Readonly<Record<string, string>>,
  ])[] = [
    ['without a key', [], {}],
    ['with malformed hooks', ['--demo'], { '.forgeflare/hooks.toml': '[[hooks]\n' }],
    [
      'with hooks that are not trusted',
      ['--demo'],
      { '.forgeflare/hooks.toml': '[[hooks]]\nevent = "Stop"\ncommand = "true"\n' },
    ],
    ['without the session', ['--demo', '--resume', 'nosuch'], {}],
    ['without the folder', ['--demo', '--add-dir', 'nosuch'], {}],
  ];
  for (const [name, argv, files] of failures) {
    test(name, async () => {
      const project = newProject({ ...files, '.forgeflare/convergence.json': signal });
      assert.notEqual((await run([...argv, 'do it'], project)).exitCode, 0);
      assert.equal(existsSync(join(project.path, '.forgeflare/convergence.json')), false);
    });
  }
});
