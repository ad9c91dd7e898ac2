// The pinned programs of others install and run on this machine.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { outsideProgram } from '../support/outside-agents.ts';

const run = promisify(execFile);

test('acpx and the conformance suite of MCP run', { timeout: 900_000 }, async () => {
  const programs = await Promise.all(['acpx', 'conformance'].map(outsideProgram));
  for (const program of programs) {
    const { stdout } = await run(process.execPath, [program, '--version']);
    assert.match(stdout, /^\d+\.\d+\.\d+/);
  }
});
