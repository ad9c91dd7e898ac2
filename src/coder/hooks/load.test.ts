// Loading the hooks file, and whether the user trusts it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hookToml, projectFolder } from '../../../test/support/hook-project.ts';
import type { HookTable } from './hook.ts';
import { loadHooks } from './load.ts';
import { isTrusted, refuseUntrusted, trust } from './trust.ts';

const stop = hookToml({ event: 'Stop', command: 'true' });

async function load(folder: string): Promise<HookTable> {
  const table = await loadHooks(folder);
  assert.ok(table !== undefined);
  return table;
}

describe('the file of the hooks', () => {
  test('need not be there', async (context) => {
    const folder = projectFolder(context);
    assert.equal(await loadHooks(folder), undefined);
    rmSync(join(folder, '.forgeflare'), { recursive: true });
    assert.equal(await loadHooks(folder), undefined);
  });

  test('has its path, its digest and its hooks', async (context) => {
    const folder = projectFolder(context, stop);
    const table = await load(folder);
    assert.equal(table.file, join(folder, '.forgeflare', 'hooks.toml'));
    assert.match(table.digest, /^[0-9a-f]{64}$/);
    assert.equal(table.hooks.length, 1);
  });

  test('that cannot be read keeps the agent from starting without it', async (context) => {
    const places: Readonly<Record<string, readonly [prepare: (file: string) => void, message: string]>> = {
      folder: [(file) => mkdirSync(file), 'is not a file'],
      pipe: [(file) => assert.equal(spawnSync('mkfifo', [file]).status, 0), 'is not a file'],
      'link to nowhere': [(file) => symlinkSync('nowhere', file), 'is a dangling link'],
      'link to itself': [(file) => symlinkSync('hooks.toml', file), 'is a link that points to itself'],
      bytes: [
        (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00])),
        'is not UTF-8 text; save it in that encoding',
      ],
      size: [(file) => writeFileSync(file, '#'.repeat(1024 * 1024 + 1)), 'is larger than 1048576 bytes'],
    };
    for (const [name, [prepare, message]] of Object.entries(places)) {
      const folder = projectFolder(context);
      prepare(join(folder, '.forgeflare', 'hooks.toml'));
      const expected = { kind: 'configuration', message: `.forgeflare/hooks.toml: ${message}` };
      await assert.rejects(loadHooks(folder), expected, name);
    }
  });

  test('in a folder that is none, or leads nowhere, neither', async (context) => {
    const folder = projectFolder(context);
    rmSync(join(folder, '.forgeflare'), { recursive: true });
    writeFileSync(join(folder, '.forgeflare'), '');
    await assert.rejects(loadHooks(folder), { message: /cannot be read: \.forgeflare is not a folder/ });
  });

  test(
    'may not be one that we may not read',
    { skip: process.getuid?.() === 0 && 'root may read all' },
    async (context) => {
      const folder = projectFolder(context, stop);
      chmodSync(join(folder, '.forgeflare', 'hooks.toml'), 0);
      await assert.rejects(loadHooks(folder), { message: /cannot be read: permission denied; check its permissions/ });
    },
  );
});

describe('trust', () => {
  test('is for one file in one place, and remembered', async (context) => {
    const [folder, other, state] = [projectFolder(context, stop), projectFolder(context, stop), projectFolder(context)];
    const table = await load(folder);
    assert.equal(await isTrusted(table, state), false);
    await trust(table, state);
    assert.equal(await isTrusted(await load(folder), state), true);
    assert.equal(await isTrusted(await load(other), state), false, 'the same file elsewhere');
    assert.equal(await isTrusted(table, other), false, 'another user');
    writeFileSync(table.file, `${stop}\n`);
    assert.equal(await isTrusted(await load(folder), state), false, 'a changed file');
    await trust(await load(folder), state);
    assert.equal(await isTrusted(await load(folder), state), true);
    assert.equal(await isTrusted(table, state), false, 'as it was before');
    assert.equal(readdirSync(join(state, 'trusted-hooks')).length, 1);
  });

  test('holds by whatever link one comes to the place', async (context) => {
    const [folder, state] = [projectFolder(context, stop), projectFolder(context)];
    await trust(await load(folder), state);
    symlinkSync(folder, join(state, 'link'));
    assert.equal(await isTrusted(await load(join(state, 'link')), state), true);
  });

  test('that is damaged is none', async (context) => {
    const [folder, state] = [projectFolder(context, stop), projectFolder(context)];
    const table = await load(folder);
    await trust(table, state);
    const [file = ''] = readdirSync(join(state, 'trusted-hooks'));
    for (const text of ['', 'true', '{"project":1}', JSON.stringify({ digest: table.digest })]) {
      writeFileSync(join(state, 'trusted-hooks', file), text);
      assert.equal(await isTrusted(table, state), false, text);
    }
  });

  test('that cannot be saved causes a warning and applies to the run', async (context) => {
    const [folder, state] = [projectFolder(context, stop), projectFolder(context)];
    writeFileSync(join(state, 'trusted-hooks'), '');
    assert.match(
      (await trust(await load(folder), state)) ?? '',
      /the trust in these hooks could not be saved: cannot write .* \(E\w+\)/,
    );
  });

  test('that is missing in a run without a user is an error that names both flags', async (context) => {
    const table = await load(projectFolder(context, stop));
    assert.throws(() => refuseUntrusted(table), {
      kind: 'configuration',
      message: /the hooks of this repository are not trusted; .*--trust-hooks.*--no-hooks/,
    });
  });
});
