// `models`: the configured models, as text and JSON.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCli, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

const folder = temporaryFolder();
const models = (argv: readonly string[], options: MemoryOptions = {}) =>
  runCli(['models', ...argv], { cwd: folder.path, ...options });

folder.write(
  'own.toml',
  `[[providers]]
type = "openai"
models = ["gpt-4o"]

[models.fast]
targets = ["openai/gpt-4o-mini"]

[prices."openai/gpt-4o"]
input = 1
output = 2.5
context_window = 1000
`,
);

describe('models', () => {
  test('lists the configured models with context window and price', async () => {
    const { exitCode, out } = await models(['--config', 'own.toml']);
    assert.equal(exitCode, 0);
    assert.match(out, /^ +MODEL +PROVIDER +CONTEXT +INPUT +OUTPUT\n/);
    assert.match(out, /\n +fast +openai +128000 +\$0\.15 +\$0\.6\n/);
    assert.match(out, /\n\* {2}openai\/gpt-4o +openai +1000 +\$1 +\$2\.5\n/);
    assert.match(out, /\nDefault: openai\/\S+, because .*\nPrices are in US dollars per million tokens\.\n$/);
  });

  test('is one JSON object with either flag', async () => {
    const { out } = await models(['--config', 'own.toml', '--json']);
    assert.equal((await models(['--config', 'own.toml', '--output', 'json'])).out, out);
    const listed = JSON.parse(out) as { models: { id: string }[]; default: string };
    assert.deepEqual(
      listed.models.find(({ id }) => id === 'openai/gpt-4o'),
      { id: 'openai/gpt-4o', provider: 'openai', contextWindow: 1000, price: { input: 1, output: 2.5 } },
    );
    assert.equal(listed.default, listed.models[0]?.id);
  });

  test('reports an invalid configuration like other commands', async () => {
    folder.write('wrong.toml', '[models.fast]\ntargets = []\n');
    const { exitCode, out } = await models(['--config', 'wrong.toml', '--json']);
    assert.equal(exitCode, 2);
    assert.equal((JSON.parse(out) as { error: { kind: string } }).error.kind, 'configuration');
  });
});
