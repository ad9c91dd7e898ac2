// The wizard of `config init` in a real terminal.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { parseConfig } from '../../src/config/file-tier.ts';
import { launcher } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Screen, skipWithoutTmux } from '../support/tmux.ts';

const key = 'sk-proj-0123456789abcdefWXYZ';

async function openWizard(context: TestContext) {
  const cwd = temporaryFolder().path;
  const env = { ANTHROPIC_API_KEY: key };
  const screen = new Screen(context, [process.execPath, launcher, 'config', 'init'], { cwd, env });
  await screen.shows(/Which providers do you want to use\?/);
  return { screen, file: join(cwd, 'simple-agents.toml') };
}

describe('the wizard', { skip: skipWithoutTmux }, () => {
  test('preselects providers with a key, asks for the default, and writes a valid file', async (context) => {
    const { screen, file } = await openWizard(context);
    assert.match(screen.text, /◼ Anthropic/);
    screen.press('Space', 'Enter');
    await screen.shows(/Which model should be the default\?/);
    screen.press('Down', 'Enter');
    await screen.shows(/Write simple-agents\.toml\?/);
    assert.match(screen.text, /Set these environment variables:\s+│\s+│\s+OPENAI_API_KEY/);
    assert.ok(!existsSync(file));
    screen.press('Enter');
    await screen.shows(/wrote simple-agents\.toml\s+ended with 0/);
    const text = readFileSync(file, 'utf8');
    const { client, providers } = await parseConfig(text, 'f');
    assert.deepEqual(new Set(providers.map(({ type }) => type)), new Set(['openai', 'anthropic']));
    assert.match(client.defaultModel ?? '', /^(openai|anthropic)\//);
    assert.ok(!text.includes(key) && !screen.text.includes(key));
  });

  test('asks for the URL of another server, and reports an invalid one', async (context) => {
    const { screen, file } = await openWizard(context);
    screen.press('Up', 'Space', 'Enter');
    await screen.shows(/What is the base URL of the server\?/);
    screen.press('localhost', 'Enter');
    await screen.shows(/must be an http or https URL/);
    screen.press('C-u', 'http://127.0.0.1:9/v1', 'Enter');
    await screen.shows(/What do you want to call it\?/);
    screen.press('mine', 'Enter');
    await screen.shows(/Which of its models do you want to use\?/);
    screen.press('llama', 'Enter');
    await screen.shows(/Which model should be the default/);
    screen.press('Down', 'Enter');
    await screen.shows(/Write simple-agents\.toml\?/);
    screen.press('Enter');
    await screen.shows(/ended with 0/);
    const { client, providers } = await parseConfig(readFileSync(file, 'utf8'), 'f');
    assert.deepEqual(providers.at(-1), {
      type: 'openai-compatible',
      name: 'mine',
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'llama',
    });
    assert.equal(client.defaultModel, 'mine/llama');
  });

  test('writes nothing if it is cancelled', async (context) => {
    const { screen, file } = await openWizard(context);
    screen.press('C-c');
    await screen.shows(/Nothing was written\.\s+ended with 130/);
    assert.ok(!existsSync(file));
  });
});
