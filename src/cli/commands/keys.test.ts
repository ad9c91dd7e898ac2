// `keys create`: a key, its hash, and lines that the configuration understands.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { parse } from 'smol-toml';
import { runCli } from '../../../test/memory-terminal.ts';
import { KeyRing } from '../../server/key-ring.ts';

interface NewKey {
  readonly name: string;
  readonly key: string;
  readonly hash: string;
}

const create = (...argv: string[]) => runCli(['keys', 'create', ...argv]);

describe('keys create', () => {
  test('shows a key, its hash and the lines for the configuration', async () => {
    const { exitCode, out, err } = await create('--name', 'mobile app');
    assert.deepEqual([exitCode, err], [0, '']);
    const [, key = ''] = /^key +(\S+)$/m.exec(out) ?? [];
    const [, digest = ''] = /^hash +(\S+)$/m.exec(out) ?? [];
    assert.equal(digest, hash('sha256', key, 'hex'));
    const { server } = parse(out.slice(out.indexOf('[['))) as { server: { keys: object[] } };
    assert.deepEqual(
      server.keys.map((entry) => ({ ...entry })),
      [{ name: 'mobile app', hash: digest }],
    );
  });

  test('makes keys that open the gateway, each another one', async () => {
    const keys = await Promise.all(
      Array.from({ length: 3 }, async () => JSON.parse((await create('--json')).out) as NewKey),
    );
    assert.equal(new Set(keys.map(({ key }) => key)).size, 3);
    assert.equal(new Set(keys.map(({ name }) => name)).size, 3);
    for (const { key, hash: digest } of keys) {
      assert.ok(key.length >= 40);
      assert.ok(new KeyRing([digest]).isOpenTo({ authorization: `Bearer ${key}` }));
    }
  });

  test('refuses a name that a file or a log could misread', async () => {
    for (const name of ['', ' a', 'a"b', 'a\nb', 'a\u001b[2J', 'a'.repeat(65)]) {
      const { exitCode, out, err } = await create(`--name=${name}`);
      assert.deepEqual([exitCode, out], [2, ''], JSON.stringify(name));
      assert.match(err, /Use up to 64 letters/);
    }
  });
});
