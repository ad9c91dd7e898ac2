// Clients written in Rust, unmodified, against the gateway: every case in front of every upstream. The program is in
// `tools/rust-clients/`, which also pins the crates.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { withLock } from '../../scripts/lock.mjs';
import type { ProgramOptions } from '../support/clients/program.ts';
import { runClients, startClientStack } from '../support/clients/table.ts';
import { findCargo, repository, run } from '../support/native-library.ts';
import { skipWithout } from '../support/requirement.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = join(repository, 'tools/rust-clients');
const cache = join(repository, 'node_modules/.cache/rust-clients');
const files = temporaryFolder();

const clients = [
  'async-openai, chat',
  'async-openai, responses',
  'rig, openai chat',
  'rig, openai responses',
  'rig, anthropic',
  'rig, gemini',
];

const { stdout } = spawnSync(findCargo() ?? 'cargo', ['--version'], { encoding: 'utf8' });
const [, installed = '0'] = /cargo 1\.(\d+)/.exec(stdout ?? '') ?? [];
/** The oldest that `rig-core` compiles with. */
const skip = skipWithout({
  name: 'cargo 1.95',
  isPresent: Number(installed) >= 95,
  remedy: 'install Rust 1.95 or newer, https://rustup.rs',
});

describe('clients in Rust', { skip }, () => {
  for (const client of clients) {
    test(client, { timeout: 900_000 }, async (context) => {
      await withLock(cache, build);
      const stack = await startClientStack(context);
      await runClients(context, stack, { clients: [client], start });
    });
  }

  test('the program is formatted', async () => {
    assert.equal(await cargo('fmt', '--check'), '');
  });
});

function start(url: string): ProgramOptions {
  return { command: join(cache, 'debug/rust-clients'), argv: [url], cwd: files.path };
}

/** Takes some minutes the first time, and less than a second if nothing changed. */
async function build(): Promise<void> {
  await cargo('build', '--locked', '--quiet', '--target-dir', cache);
}

function cargo(...argv: readonly string[]): Promise<string> {
  return run(findCargo() ?? 'cargo', argv, { cwd: folder });
}
