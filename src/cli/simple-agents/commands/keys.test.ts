// `keys create`: a key, its hash, and valid lines for the configuration.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { runCli } from '../../../../test/support/memory-terminal.ts';
import { parseConfig } from '../../../config/file-tier.ts';
import { KeyRing } from '../../../server/http/key-ring.ts';

interface NewKey {
  readonly name: string;
  readonly key: string;
  readonly hash: string;
}

const create = (...argv: string[]) => runCli(['keys', 'create', ...argv]);

describe('keys create', () => {
  test('shows a key, its hash and the lines for the configuration', async () => {
    const { exitCode, out, err } = await create('--name', 'mobile-app');
    assert.deepEqual([exitCode, err], [0, '']);
    const [, key = ''] = /^key +(\S+)$/m.exec(out) ?? [];
    const [, digest = ''] = /^hash +(\S+)$/m.exec(out) ?? [];
    assert.equal(digest, hash('sha256', key, 'hex'));
    const values = await parseConfig(out.slice(out.indexOf('[[')), 'keys.toml');
    assert.deepEqual(values['server.keys'], [{ name: 'mobile-app', hash: digest, scopes: ['call'] }]);
  });

  test('has the scopes of the flags', async () => {
    const { out } = await create('--scope', 'metrics', 'call', '--json');
    assert.deepEqual(JSON.parse(out).scopes, ['metrics', 'call']);
    const { exitCode, err } = await create('--scope', 'admin');
    assert.equal(exitCode, 2);
    assert.match(err, /Allowed choices are call, metrics/);
  });

  test('creates a different key each time, which the gateway accepts', async () => {
    const keys = await Promise.all(
      Array.from({ length: 3 }, async () => JSON.parse((await create('--json')).out) as NewKey),
    );
    assert.equal(new Set(keys.map(({ key }) => key)).size, 3);
    assert.equal(new Set(keys.map(({ name }) => name)).size, 3);
    for (const { key, hash: digest } of keys) {
      assert.ok(key.length >= 40);
      assert.equal(typeof new KeyRing([digest]).check({ authorization: `Bearer ${key}` }), 'object');
    }
  });

  test('rejects a name that is not safe in a file or a log', async () => {
    for (const name of ['', ' a', 'a b', 'a"b', 'a\nb', 'a\u001b[2J', 'a'.repeat(65)]) {
      const { exitCode, out, err } = await create(`--name=${name}`);
      assert.deepEqual([exitCode, out], [2, ''], JSON.stringify(name));
      assert.match(err, /must have 1 to 40 letters/);
    }
  });
});
