// Changes one setting in a file's text; everything else, including comments, is preserved.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { editSetting } from './edit.ts';
import { parseCliValue, parseSettingPath } from './setting-path.ts';

async function edit(text: string, setting: string, ...words: string[]): Promise<string> {
  const path = parseSettingPath(setting);
  return editSetting(text, path, await parseCliValue(words, path.field), 'f.toml');
}

const file = `# mine
[client] # here
default_model = "fast" # keep me

# waits
[timeouts]
# idle = "90s"
connect = "1s"

[[providers]]
type = "openai" # first
models = ["a", # x
  "b"]

[[providers]] # second
name = "work"
type = "anthropic"

[models.fast]
targets = ["openai/a"]
`;

describe('a setting', () => {
  const changes: readonly [name: string, setting: string, words: string[], before: string, after: string][] = [
    ['that exists', 'client.default_model', ['slow'], 'default_model = "fast" # keep', 'default_model = "slow" # keep'],
    ['that is commented out', 'timeouts.idle', ['45s'], '# idle = "90s"', 'idle = "45s"'],
    ['that is new', 'client.max_tokens', ['5'], '# keep me\n', '# keep me\nmax_tokens = 5\n'],
    [
      'of a provider, by its name',
      'providers.work.model',
      ['m'],
      'type = "anthropic"\n',
      'type = "anthropic"\nmodel = "m"\n',
    ],
    [
      'of a provider, by its type',
      'providers.openai.base_url',
      ['http://h'],
      '[[providers]]\n',
      '[[providers]]\nbase_url = "http://h"\n',
    ],
    ['that is a list', 'models.fast.targets', ['openai/b', 'work/c'], '["openai/a"]', '["openai/b", "work/c"]'],
  ];
  for (const [name, setting, words, before, after] of changes) {
    test(name, async () => {
      assert.ok(file.includes(before));
      assert.equal(await edit(file, setting, ...words), file.replace(before, after));
    });
  }

  const additions: readonly [name: string, setting: string, words: string[], block: string][] = [
    ['of a table that is new', 'healing.enabled', ['false'], '[healing]\nenabled = false\n'],
    [
      'of an alias that is new',
      'models."my model".targets',
      ['openai/a,work/b'],
      '[models."my model"]\ntargets = ["openai/a", "work/b"]\n',
    ],
    ['of a vendor that is new', 'providers.groq.model', ['m'], '[[providers]]\ntype = "groq"\nmodel = "m"\n'],
    [
      'that makes a provider',
      'providers.mine.type',
      ['simulated'],
      '[[providers]]\nname = "mine"\ntype = "simulated"\n',
    ],
    ['of a price', 'prices.openai/gpt-5.4.input', ['1.5'], '[prices."openai/gpt-5.4"]\ninput = 1.5\n'],
  ];
  for (const [name, setting, words, block] of additions) {
    test(name, async () => assert.equal(await edit(file, setting, ...words), `${file}\n${block}`));
  }

  test('of an empty file', async () => {
    assert.equal(await edit('', 'client.max_tokens', '5'), '[client]\nmax_tokens = 5\n');
  });

  test('in a file with Windows line endings', async () => {
    assert.equal(
      await edit('[client]\r\nmax_tokens = 1\r\n', 'client.max_tokens', '2'),
      '[client]\r\nmax_tokens = 2\r\n',
    );
    assert.equal(await edit('[client]\r\n', 'client.max_tokens', '2'), '[client]\r\nmax_tokens = 2\r\n');
    assert.equal(
      await edit('[client]\r\n', 'proxy.http', 'http://h'),
      '[client]\r\n\r\n[proxy]\r\nhttp = "http://h"\r\n',
    );
  });

  test('in inline tables', async () => {
    assert.equal(
      await edit('client = { max_tokens = 1 }\n', 'client.max_tokens', '2'),
      'client = { max_tokens = 2 }\n',
    );
    assert.match(
      await edit('providers = [{ type = "openai" }]\n', 'providers.groq.model', 'm'),
      /^providers = \[.*groq.*\]\n$/,
    );
    assert.match(await edit('client.max_tokens = 1\n', 'client.default_model', 'x'), /^client\.max_tokens = 1\n/);
  });

  test('that is one of several headers', async () => {
    const headers = '[[providers]]\ntype = "openai"\nheaders = { "x-a" = "1" }\n';
    assert.match(
      await edit(headers, 'providers.openai.headers.x-b', 'two words'),
      /headers = \{ "x-a" = "1", "?x-b"? = "two words" \}/,
    );
  });
});

test('setting the model of an unknown provider does not create it', async () => {
  await assert.rejects(
    edit(file, 'providers.nobody.model', 'm'),
    failsWith('configuration', /first set providers\.nobody\.type/),
  );
});
