// The complete command line: help, mistakes and their exit codes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCli } from '../../../test/support/memory-terminal.ts';
import { errorTable } from '../../core/error.ts';
import { version } from '../../core/version.ts';

const commands = ['complete', 'chat', 'providers', 'test', 'simulate'];

describe('help', () => {
  test('lists the commands and the exit codes', async () => {
    const { exitCode, out, err } = await runCli(['--help']);
    assert.deepEqual([exitCode, err], [0, '']);
    for (const command of commands) assert.match(out, new RegExp(`^  ${command} `, 'm'));
    const codes = new Set(Object.values(errorTable).map((row) => row.exitCode));
    for (const code of codes) assert.match(out, new RegExp(`^  ${code} `, 'm'));
    assert.doesNotMatch(out, /^ {2}start/m);
    assert.ok(!out.includes('\u001b'));
  });

  for (const command of commands) {
    test(`of ${command} has examples that name it`, async () => {
      const { exitCode, out } = await runCli([command, '--help']);
      assert.equal(exitCode, 0);
      assert.match(out, new RegExp(`Examples:\n(?:.*\n)*?.*simple-agents ${command}`));
      assert.deepEqual(await runCli(['help', command]), { exitCode, out, err: '' });
    });
  }

  test('fits the screen, with colours if there are any', async () => {
    const { out } = await runCli(['complete', '--help'], { isTTY: true, columns: 90 });
    assert.ok(out.includes('\u001b[1mOptions:'));
    const [, options = ''] = out.split('Options:');
    for (const line of options.split('Examples:')[0]?.split('\n') ?? []) assert.ok(line.length <= 90, line);
    const plain = await runCli(['--help'], { isTTY: true, env: { NO_COLOR: '1' } });
    assert.ok(!plain.out.includes('\u001b'));
  });

  test('is shown without a command, as an error', async () => {
    const { exitCode, out, err } = await runCli([]);
    assert.deepEqual([exitCode, out], [2, '']);
    assert.match(err, /^Usage: simple-agents/);
  });
});

test('the version is that of the package', async () => {
  assert.deepEqual(await runCli(['--version']), { exitCode: 0, out: `${version}\n`, err: '' });
});

describe('a mistake on the command line', () => {
  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [['complte', 'x'], /^simple-agents: unknown command 'complte'\n\(Did you mean complete\?\)/],
    [['complete', '--strem'], /^simple-agents: unknown option '--strem'\n\(Did you mean --stream\?\)/],
    [['complete', 'x', '--output', 'xml'], /Allowed choices are text, json/],
    [['complete', 'x', '--max-tokens', 'many'], /'many' is invalid\. It must be an integer/],
    [['complete', 'x', '--max-tokens', '0'], /It must be at least 1/],
    [['complete', 'x', '--temperature', '9'], /It must be between 0 and 2/],
    [['complete', 'x', '--timeout', '30'], /"30" has no unit; write "30s"/],
    [['complete', 'x', '-m'], /argument missing/],
    [['chat', 'hello'], /too many arguments/],
    [['test'], /missing required argument 'provider'/],
    [['simulate', '--port', '70000'], /It must be between 0 and 65535/],
  ];
  for (const [argv, expected] of mistakes) {
    test(`${argv.join(' ')} ends with 2 and a hint`, async () => {
      const { exitCode, out, err } = await runCli(argv);
      assert.deepEqual([exitCode, out], [2, '']);
      assert.match(err, expected);
      assert.match(err, /--help/);
    });
  }
});
