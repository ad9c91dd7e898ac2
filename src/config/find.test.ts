// The search for the configuration file, in temporary directories.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findConfigFile } from './find.ts';

describe('the configuration file', () => {
  let root = '';
  let home = '';
  const inRoot = (...names: string[]) => join(root, ...names);

  async function put(...names: string[]): Promise<string> {
    const path = inRoot(...names);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    return path;
  }

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'simple-agents-find-'));
    home = inRoot('home');
    await mkdir(inRoot('empty'));
    await put('project', 'simple-agents.toml');
    await put('project', 'other.toml');
    await put('home', '.config', 'simple-agents', 'config.toml');
    await put('xdg', 'simple-agents', 'config.toml');
    await put('mac', 'Library', 'Application Support', 'simple-agents', 'config.toml');
  });
  after(() => rm(root, { recursive: true }));

  test('is the explicit path first', async () => {
    const env = { SIMPLE_AGENTS_CONFIG: 'simple-agents.toml', HOME: home };
    const found = await findConfigFile({ explicit: 'other.toml', cwd: inRoot('project'), env });
    assert.equal(found, inRoot('project', 'other.toml'));
  });

  test('is then the path in SIMPLE_AGENTS_CONFIG', async () => {
    const env = { SIMPLE_AGENTS_CONFIG: 'other.toml', HOME: home };
    assert.equal(await findConfigFile({ cwd: inRoot('project'), env }), inRoot('project', 'other.toml'));
  });

  test('is then the one in the working directory', async () => {
    const env = { SIMPLE_AGENTS_CONFIG: '', HOME: home };
    assert.equal(await findConfigFile({ cwd: inRoot('project'), env }), inRoot('project', 'simple-agents.toml'));
  });

  test('is then the one in the user’s configuration directory', async () => {
    const cwd = inRoot('empty');
    const config = ['simple-agents', 'config.toml'] as const;
    const find = (env: Record<string, string>, platform: NodeJS.Platform) => findConfigFile({ cwd, env, platform });
    assert.equal(await find({ HOME: home }, 'linux'), join(home, '.config', ...config));
    assert.equal(await find({ HOME: home, XDG_CONFIG_HOME: inRoot('xdg') }, 'linux'), inRoot('xdg', ...config));
    assert.equal(await find({ HOME: home, XDG_CONFIG_HOME: 'xdg' }, 'linux'), join(home, '.config', ...config));
    assert.equal(await find({ HOME: home }, 'darwin'), join(home, '.config', ...config));
    const library = inRoot('mac', 'Library', 'Application Support', ...config);
    assert.equal(await find({ HOME: inRoot('mac') }, 'darwin'), library);
    assert.equal(await find({ HOME: inRoot('mac') }, 'linux'), undefined);
    assert.equal(await find({ APPDATA: inRoot('xdg'), HOME: home }, 'win32'), inRoot('xdg', ...config));
  });

  test('may be missing', async () => {
    assert.equal(await findConfigFile({ cwd: inRoot('empty'), env: {} }), undefined);
    assert.equal(await findConfigFile({ cwd: inRoot('nowhere'), env: { HOME: inRoot('nowhere') } }), undefined);
  });

  test('must exist if the user named it', async () => {
    const cwd = inRoot('project');
    await assert.rejects(findConfigFile({ explicit: 'none.toml', cwd, env: {} }), {
      kind: 'configuration',
      message: 'none.toml: file not found',
    });
    await assert.rejects(findConfigFile({ cwd, env: { SIMPLE_AGENTS_CONFIG: 'none.toml' } }), {
      kind: 'configuration',
      message: 'none.toml: file not found (set by SIMPLE_AGENTS_CONFIG)',
    });
  });
});
