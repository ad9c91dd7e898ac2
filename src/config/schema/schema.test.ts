// The schema is consistent with itself, the policies, the example file and docs/configuration.md.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { errorTable, type ErrorKind } from '../../core/error.ts';
import { defaultBreaker } from '../../gateway/resilience/breaker-state.ts';
import { defaultRetry } from '../../gateway/resilience/retry.ts';
import { defaultFallbackOn } from '../../gateway/routing/router.ts';
import { parseConfig } from '../file-tier.ts';
import { loadSettings } from '../load.ts';
import { renderReference } from '../../../test/support/config-reference.ts';
import { toCamelCase } from './file-values.ts';
import { contentOf, fieldsOf, tables } from './table.ts';
import { defaultsOf } from './validate.ts';
import { checkValue } from './value.ts';

const pluginsPath = fileURLToPath(import.meta.resolve('../../../examples/plugins/simple-agents.toml'));
const examplePath = fileURLToPath(import.meta.resolve('../../../examples/simple-agents.toml'));
const manualPath = fileURLToPath(import.meta.resolve('../../../docs/configuration.md'));
const rows = tables.flatMap(({ name, fields }) => fields.map((field) => ({ table: name, ...field })));

describe('the schema', () => {
  test('has no field that is also refused', () => {
    for (const { name, fields, refused = {} } of tables) {
      const both = fields.filter(({ key }) => key in refused);
      assert.deepEqual(both, [], name);
    }
  });

  test('has valid defaults', () => {
    for (const field of rows.filter((row) => row.default !== undefined)) {
      assert.ok('value' in checkValue(field.default, field), field.key);
    }
  });

  test('gives the defaults as parsed values', () => {
    assert.deepEqual(defaultsOf('timeouts'), { connect: 10_000 });
    assert.deepEqual(defaultsOf('client'), {});
  });

  test('has the same defaults as the policies', () => {
    assert.deepEqual(defaultsOf('retry'), defaultRetry);
    assert.deepEqual(defaultsOf('breaker'), { enabled: true, ...defaultBreaker });
    const { otherwise = '' } = fieldsOf('router').find(({ key }) => key === 'fallback_on') ?? {};
    const others = Object.keys(errorTable).filter((kind) => !defaultFallbackOn.includes(kind as ErrorKind));
    assert.deepEqual(
      [...otherwise.matchAll(/`(.*?)`/g)].map(([, kind]) => kind),
      others,
    );
  });

  test('has keys in snake_case, which the program converts to camelCase', () => {
    for (const { key } of rows) assert.match(key, /^[a-z]+\d?(_[a-z]+)*$/);
    assert.equal(toCamelCase('api_key_env'), 'apiKeyEnv');
  });
});

describe('examples/simple-agents.toml', () => {
  test('loads with an empty environment', async () => {
    const settings = await loadSettings({ path: examplePath, env: {} });
    assert.equal(settings.file, examplePath);
    assert.deepEqual(
      settings.providers.map(({ name }) => name),
      ['openai', 'claude-at-work', 'bedrock', 'in-house', 'rehearsal', 'simulated'],
    );
    assert.equal(settings.defaultModel, 'fast');
    assert.deepEqual(settings.aliases['fast'], {
      targets: ['openai/gpt-4o-mini', 'claude-at-work/claude-haiku-4-5'],
      strategy: 'weighted',
      weights: [3, 1],
    });
  });

  test('contains every key', async () => {
    const shown = new Set<string>();
    // Those of plugins are next to the example plugins.
    for (const path of [examplePath, pluginsPath]) {
      const document = parse(await readFile(path, 'utf8'));
      for (const table of tables) {
        for (const key of keysIn(contentOf(table, document), table.form)) shown.add(`${table.name}.${key}`);
      }
    }
    const expected = rows.filter(({ table }) => table !== 'strategies').map(({ table, key }) => `${table}.${key}`);
    assert.deepEqual([...shown].toSorted(), expected.toSorted());
  });
});

function keysIn(value: unknown, form: 'single' | 'list' | 'named'): string[] {
  if (form === 'single') return Object.keys(value ?? {});
  return Object.values(value ?? {}).flatMap((entry: object) => Object.keys(entry));
}

describe('docs/configuration.md', () => {
  test('contains the reference that is rendered from the schema', async () => {
    const manual = await readFile(manualPath, 'utf8');
    const reference = /## Reference\n\n([^]*?)\n\n## /.exec(manual)?.[1];
    assert.equal(reference, renderReference());
  });

  test('shows the real messages for its examples of invalid files', async () => {
    const manual = await readFile(manualPath, 'utf8');
    const examples = [...manual.matchAll(/```toml\n((?:(?!```)[^])*)```[^`]*```text\n([^]*?)\n```/g)];
    assert.equal(examples.length, 2);
    for (const [, text = '', message] of examples) {
      await assert.rejects(parseConfig(text, 'simple-agents.toml'), { kind: 'configuration', message });
    }
  });
});
