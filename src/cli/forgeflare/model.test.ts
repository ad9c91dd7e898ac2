// Which model and address the agent uses: flag > environment > configuration > the vendor's default.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../../test/support/fails-with.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { MemoryTerminal } from '../../../test/support/memory-terminal.ts';
import { connectAgent, type AgentModelFlags } from './model.ts';

const folder = temporaryFolder();

async function resolve(flags: AgentModelFlags, env: Readonly<Record<string, string>>) {
  const model = await connectAgent(flags, new MemoryTerminal({ env, cwd: folder.path }), { mayFallBack: true });
  await model.gateway.close();
  return [model.name, model.apiUrl, model.takesCacheMarkers];
}

const anthropic = { ANTHROPIC_API_KEY: 'a' };
const openai = { OPENAI_API_KEY: 'o' };
const here = 'http://127.0.0.1:1';

describe('the model', () => {
  const cases: readonly (readonly [string, AgentModelFlags, Readonly<Record<string, string>>, readonly unknown[]])[] = [
    ['without a key is simulated', {}, {}, ['simulated', undefined, false]],
    ['is claude-opus-4-6', {}, anthropic, ['anthropic/claude-opus-4-6', 'https://api.anthropic.com/', true]],
    [
      'is that also beside another key',
      {},
      { ...openai, ...anthropic },
      ['anthropic/claude-opus-4-6', 'https://api.anthropic.com/', true],
    ],
    [
      'is another vendor’s where only that has a key',
      {},
      openai,
      ['openai/gpt-5.4-mini', 'https://api.openai.com/v1', false],
    ],
    ['is the one named', { model: 'gpt-5' }, openai, ['openai/gpt-5', 'https://api.openai.com/v1', false]],
    [
      'is the provider’s',
      { provider: 'anthropic' },
      anthropic,
      ['anthropic/claude-opus-4-6', 'https://api.anthropic.com/', true],
    ],
    [
      'at the address of the environment',
      {},
      { ...anthropic, ANTHROPIC_API_URL: here },
      ['anthropic/claude-opus-4-6', `${here}/`, true],
    ],
    [
      'at the vendor’s own variable',
      {},
      { ...anthropic, ANTHROPIC_BASE_URL: here },
      ['anthropic/claude-opus-4-6', `${here}/`, true],
    ],
    [
      'at the flag’s address before that',
      { apiUrl: here },
      { ...anthropic, ANTHROPIC_API_URL: 'http://127.0.0.1:2' },
      ['anthropic/claude-opus-4-6', `${here}/`, true],
    ],
    ['at an address that needs no key', { apiUrl: here }, {}, ['anthropic/claude-opus-4-6', `${here}/`, true]],
    [
      'at such an address, of another vendor',
      { apiUrl: here, model: 'gpt-5' },
      {},
      ['openai/gpt-5', `${here}/`, false],
    ],
  ];
  for (const [name, flags, env, expected] of cases) {
    test(name, async () => assert.deepEqual(await resolve(flags, env), expected));
  }

  test('that needs a key and has none is refused at once', async () => {
    await assert.rejects(
      resolve({ model: 'anthropic/claude-opus-4-6' }, {}),
      failsWith('auth', /set ANTHROPIC_API_KEY/),
    );
  });

  test('is the configuration’s, and waits as that says', async () => {
    const config = folder.write('own.toml', '[client]\ndefault_model = "anthropic/claude-haiku-5-5"\n');
    assert.deepEqual((await resolve({ config }, anthropic))[0], 'anthropic/claude-haiku-5-5');
  });
});
