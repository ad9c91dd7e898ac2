// Setting paths on a command line.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { parseSettingPath } from './setting-path.ts';

function told(path: string) {
  const { table, entry, field, member } = parseSettingPath(path);
  return [table.name, entry, field.key, member];
}

describe('a path is parsed to', () => {
  const paths: readonly [path: string, ...told: (string | undefined)[]][] = [
    ['timeouts.idle', 'timeouts', undefined, 'idle', undefined],
    ['providers.openai.model', 'providers', 'openai', 'model', undefined],
    ['models.fast.targets', 'models', 'fast', 'targets', undefined],
    ['models."my model".targets', 'models', 'my model', 'targets', undefined],
    ['prices.openai/gpt-5.4.input', 'prices', 'openai/gpt-5.4', 'input', undefined],
    ['prices."openai/gpt-5.4".input', 'prices', 'openai/gpt-5.4', 'input', undefined],
    ['providers.in.house.headers.x-team', 'providers', 'in.house', 'headers', 'x-team'],
    ['providers.model.model', 'providers', 'model', 'model', undefined],
  ];
  for (const [path, ...parts] of paths) test(path, () => assert.deepEqual(told(path), parts));
});

describe('an invalid path gets a message with the nearest valid one', () => {
  const wrong: readonly [path: string, problem: RegExp][] = [
    ['timeouts.idel', /^timeouts\.idel: unknown setting; did you mean "timeouts\.idle"\?$/],
    ['timeout.idle', /unknown table; did you mean "timeouts\.idle"\?/],
    ['xyz', /unknown table; the tables are client, timeouts/],
    ['timeouts', /unknown setting; timeouts has connect, /],
    ['timeouts.idle.more', /unknown setting/],
    ['providers.openai', /add the name of an entry and a key, as in providers\.NAME\.type/],
    ['providers.openai.modle', /did you mean "providers\.openai\.model"\?/],
    ['providers.openai.api_key', /an API key must not be in this file/],
    ['providers.openai.headers', /add the name of the key to set, as in providers\.openai\.headers\.x-team/],
  ];
  for (const [path, problem] of wrong) {
    test(path, () => assert.throws(() => parseSettingPath(path), failsWith('configuration', problem, { field: path })));
  }
});
