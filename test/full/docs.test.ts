// Runs every command in docs/cli.md and compares its output. The exit codes there must match the error table.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { errorTable } from '../../src/core/error.ts';
import { launcher } from '../support/cli-process.ts';
import { consoleSessions } from '../support/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const manual = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');
const cwd = temporaryFolder().path;
const path = [dirname(launcher), dirname(process.execPath), process.env['PATH']].join(delimiter);

const sessions = consoleSessions(manual);

describe('docs/cli.md', () => {
  test('shows many commands', () => assert.ok(sessions.length >= 12));

  for (const { command, output } of sessions) {
    test(command, async () => {
      const shown = await new Promise<string>((resolve) => {
        execFile('sh', ['-c', `{ ${command}; } 2>&1`], { cwd, env: { PATH: path, HOME: cwd } }, (_error, stdout) => {
          resolve(stdout);
        });
      });
      assert.equal(shown, output);
    });
  }

  test('lists the exit code of each error kind', () => {
    for (const [kind, { exitCode }] of Object.entries(errorTable)) {
      assert.match(manual, new RegExp(`^\\| ${exitCode} \\|.*\`${kind}\``, 'm'), kind);
    }
  });
});
