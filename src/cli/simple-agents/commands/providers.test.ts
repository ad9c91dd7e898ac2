// The list of providers has every vendor and no key.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCli } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { vendors } from '../../../providers/vendors.ts';
import type { ProviderEntry } from './providers.ts';

const folder = temporaryFolder();
const cwd = folder.path;
const key = 'sk-very-secret-0123456789';

interface Listing {
  readonly providers: readonly ProviderEntry[];
  readonly default: { readonly provider?: string; readonly model?: string; readonly reason: string };
}

async function list(env: Record<string, string> = {}, argv: readonly string[] = []): Promise<Listing> {
  const { exitCode, out } = await runCli(['providers', '--output', 'json', ...argv], { cwd, env });
  assert.equal(exitCode, 0);
  return JSON.parse(out) as Listing;
}

describe('as a table', () => {
  test('it has every vendor with its variable and whether it is set', async () => {
    const { exitCode, out, err } = await runCli(['providers'], { cwd, env: { OPENAI_API_KEY: key } });
    assert.deepEqual([exitCode, err], [0, '']);
    for (const { name } of vendors) assert.match(out, new RegExp(`^[* ]  ${name} `, 'm'));
    assert.match(out, /^\* {2}openai +OPENAI_API_KEY is set +gpt-\S+ +https:\/\/api\.openai\.com\/v1 +openai-chat$/m);
    assert.match(out, /^ {3}anthropic +ANTHROPIC_API_KEY is not set/m);
    assert.match(out, /^ {3}ollama +no key needed/m);
    assert.match(out, /^ {3}simulated +no key needed +simulated +built-in/m);
    assert.match(out, /\nDefault: openai\/gpt-\S+, because OPENAI_API_KEY is set/);
  });

  test('it fits the screen', async () => {
    const { out } = await runCli(['providers'], { cwd, isTTY: true, columns: 60, env: { NO_COLOR: '1' } });
    for (const line of out.split('\n').slice(0, -2)) assert.ok(line.length <= 60, line);
    assert.match(out, /ANTHROPIC_API_KEY/);
  });

  test('it shows nothing of a key', async () => {
    const env = Object.fromEntries(vendors.flatMap(({ keyEnv }) => (keyEnv === undefined ? [] : [[keyEnv, key]])));
    for (const argv of [['providers'], ['providers', '--output', 'json']]) {
      const { out, err } = await runCli(argv, { cwd, env });
      for (const part of [key, key.slice(-4), key.slice(3, 9)]) assert.ok(!(out + err).includes(part), part);
    }
  });
});

describe('as JSON', () => {
  test('it has which providers are ready, the default, and the reason', async () => {
    const { providers, default: fallback } = await list({ ANTHROPIC_API_KEY: key });
    const byName = new Map(providers.map((provider) => [provider.name, provider]));
    assert.deepEqual(byName.get('openai')?.key, { variable: 'OPENAI_API_KEY', isSet: false, isNeeded: true });
    assert.equal(byName.get('openai')?.isReady, false);
    assert.equal(byName.get('anthropic')?.isReady, true);
    assert.equal(byName.get('anthropic')?.isDefault, true);
    assert.equal(byName.get('openai-compatible')?.isReady, false);
    assert.equal(byName.get('simulated')?.isReady, true);
    assert.equal(fallback.provider, 'anthropic');
    assert.match(fallback.reason, /ANTHROPIC_API_KEY is set/);
  });

  test('it has the providers of the file first, under their own names', async () => {
    const file = '[[providers]]\nname = "work"\ntype = "openai"\nmodel = "gpt-x"\napi_key_env = "WORK_KEY"\n';
    folder.write('work.toml', `${file}base_url = "https://work.example/v1"\n`);
    const { providers, default: fallback } = await list({}, ['--config', 'work.toml']);
    assert.deepEqual(providers[0], {
      name: 'work',
      type: 'openai',
      wire: 'openai-chat',
      baseUrl: 'https://work.example/v1',
      key: { variable: 'WORK_KEY', isSet: false, isNeeded: true },
      model: 'gpt-x',
      isReady: false,
      isDefault: true,
    });
    assert.equal(fallback.reason, 'it is the first provider in work.toml');
  });
});
