// The lines of the connect view, run unchanged against a gateway: curl, and every client whose package is installed here.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createServer, type GatewayServer } from '../../src/server/server.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { clients } from '../../web/connect/clients.ts';

const run = promisify(execFile);

describe('the lines of the connect view', () => {
  let server: GatewayServer;
  let folder: string;
  before(async () => {
    // Any name is a model of the simulated provider.
    const provider = createSimulatedProvider();
    server = createServer({ port: 0, provider });
    await server.listen();
    // Inside the checkout, so that the packages can be resolved.
    folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.connect-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await server.close();
  });

  const runnable = clients.filter(({ name, language }) => language === 'TypeScript' || name === 'curl');

  test('are there for six clients and more', () => {
    assert.ok(runnable.length >= 5 && new Set(clients.map(({ name }) => name)).size >= 6);
  });

  const cases = runnable.flatMap((client) => [
    { ...client, key: 'any', model: 'simulated' },
    { ...client, key: "it's", model: 'it\'s "$HOME" `id` \\' },
  ]);
  for (const { name, language, lines, key, model } of cases) {
    test(`${name}, ${language}, with the model ${model}`, async () => {
      const text = lines({ origin: server.address ?? '', key, model });
      // The lines have no types: they are JavaScript too.
      const file = join(folder, language === 'shell' ? 'lines.sh' : 'lines.mjs');
      writeFileSync(file, text);
      const command = language === 'shell' ? 'sh' : process.execPath;
      const { stdout } = await run(command, [file], { env: { PATH: process.env['PATH'] }, timeout: 30_000 });
      assert.match(stdout, language === 'shell' ? /data: \[DONE\]/ : /^1, 2, 3$/);
    });
  }
});
