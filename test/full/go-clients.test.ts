// Clients written in Go, unmodified, against the gateway: every case in front of every upstream. The program
// is in `tools/go-clients/`, which also pins the modules.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { withLock } from '../../scripts/lock.mjs';
import type { ProgramOptions } from '../support/clients/program.ts';
import { runClients, startClientStack } from '../support/clients/table.ts';
import { goPart } from '../support/go-command.ts';
import { repository, run } from '../support/native-library.ts';
import { skipWithout } from '../support/requirement.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = join(repository, 'tools/go-clients');
const cache = join(repository, 'node_modules/.cache/go-clients');
const program = join(cache, 'clients');
const files = temporaryFolder();

const clients = [
  'openai-go, chat',
  'openai-go, responses',
  'anthropic-sdk-go',
  'google genai',
  'go-openai',
  'langchaingo, openai',
  'langchaingo, anthropic',
  'eino, openai',
  'eino, claude',
];

/** Modules are downloaded as the user has configured Go. The build needs no other toolchain and no C compiler. */
const environment = {
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -buildvcs=false',
  GOWORK: 'off',
  CGO_ENABLED: '0',
};

describe('clients in Go', { skip: skipWithout(goPart(26)) }, () => {
  for (const client of clients) {
    test(client, { timeout: 900_000 }, async (context) => {
      await withLock(cache, build);
      const stack = await startClientStack(context);
      await runClients(context, stack, { clients: [client], start });
    });
  }

  test('the program is formatted and passes go vet', async () => {
    assert.equal(await run('gofmt', ['-l', folder]), '');
    assert.equal(await go('vet', '.'), '');
  });
});

function start(url: string): ProgramOptions {
  return { command: program, argv: [url], cwd: files.path };
}

/** Takes a minute the first time, and less than a second if nothing changed: Go has a cache of its own. */
async function build(): Promise<void> {
  await go('build', '-o', program, '.');
}

function go(...argv: readonly string[]): Promise<string> {
  return run('go', argv, { cwd: folder, env: environment });
}
