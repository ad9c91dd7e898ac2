// `config` in a temporary directory: what it writes, shows and rejects, and that it never shows a key.

import assert from 'node:assert/strict';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { runCli, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { parseConfig } from '../../../config/file-tier.ts';

const folder = temporaryFolder();
const cwd = join(folder.path, 'work');
const file = join(cwd, 'simple-agents.toml');
const key = 'sk-proj-0123456789abcdefWXYZ';
const read = (path = file) => readFileSync(path, 'utf8');
const write = (text: string) => folder.write('work/simple-agents.toml', text);
const config = (argv: readonly string[], options: MemoryOptions = {}) =>
  runCli(['config', ...argv], { cwd, ...options });

const show = async (argv: readonly string[] = [], env: Record<string, string> = {}) => {
  const { out } = await config(['show', '--output', 'json', ...argv], { env });
  const shown = JSON.parse(out) as { file: string | null; settings: { path: string }[] };
  const byPath = Object.fromEntries(shown.settings.map(({ path, ...rest }) => [path, rest]));
  return { ...shown, byPath };
};

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd);
});

describe('config init', () => {
  test('writes a valid file with the providers in the environment and all other settings as comments', async () => {
    const env = { ANTHROPIC_API_KEY: key, GROQ_API_KEY: key };
    assert.deepEqual(await config(['init'], { env }), {
      exitCode: 0,
      out: 'wrote simple-agents.toml\n',
      err: 'note: found ANTHROPIC_API_KEY, GROQ_API_KEY\n',
    });
    const { client, providers } = await parseConfig(read(), 'f');
    assert.match(client.defaultModel ?? '', /^anthropic\//);
    assert.deepEqual(providers, [{ type: 'anthropic' }, { type: 'groq' }]);
    assert.match(read(), /^# connect = "10s"$/m);
    assert.ok(!read().includes(key));
  });

  test('uses the simulated model without any key', async () => {
    const { exitCode, err } = await config(['init', '--yes']);
    assert.deepEqual([exitCode, err], [0, 'note: no API key found; using the simulated model\n']);
    assert.deepEqual((await parseConfig(read(), 'f')).providers, []);
  });

  test('replaces a file only with --force', async () => {
    write('# mine\n');
    const refused = await config(['init']);
    assert.deepEqual([refused.exitCode, read()], [2, '# mine\n']);
    assert.match(refused.err, /simple-agents\.toml already exists; use --force to replace it/);
    assert.equal((await config(['init', '--force'])).exitCode, 0);
    assert.notEqual(read(), '# mine\n');
  });

  test('writes to the file in --config', async () => {
    assert.equal((await config(['init', '--config', 'sub/my.toml'])).exitCode, 0);
    await parseConfig(read(join(cwd, 'sub/my.toml')), 'f');
  });
});

describe('config show', () => {
  test('shows each value with its origin', async () => {
    write('[client]\nmax_tokens = 5\n\n[[providers]]\nname = "work"\ntype = "openai"\nbase_url = "http://h/v1"\n');
    const { byPath, file: used } = await show([], { OPENAI_API_KEY: key, https_proxy: 'http://user:secret@proxy:1' });
    const inFile = { type: 'file', file: 'simple-agents.toml' };
    assert.equal(used, file);
    assert.deepEqual(byPath['client.max_tokens'], { value: 5, origin: { ...inFile, line: 2 } });
    assert.deepEqual(byPath['timeouts.connect'], { value: '10s', origin: { type: 'default' } });
    assert.deepEqual(byPath['timeouts.total'], {
      otherwise: 'none for a streamed call, `10m` for one that is not streamed',
      origin: { type: 'default' },
    });
    assert.deepEqual(byPath['providers.work.base_url'], { value: 'http://h/v1', origin: { ...inFile, line: 7 } });
    const fromKey = { type: 'environment', variable: 'OPENAI_API_KEY' };
    assert.deepEqual(byPath['providers.work.api_key'], { value: 'sk-…WXYZ', origin: fromKey });
    assert.deepEqual(byPath['providers.openai.type'], { value: 'openai', origin: fromKey });
    assert.deepEqual(byPath['proxy.https'], {
      value: 'http://…@proxy:1',
      origin: { type: 'environment', variable: 'https_proxy' },
    });
  });

  test('shows a URL that the environment changed', async () => {
    write('[[providers]]\ntype = "openai"\nbase_url = "http://file/v1"\n');
    const { byPath, settings } = await show([], { OPENAI_BASE_URL: 'http://env/v1' });
    const origin = { type: 'environment', variable: 'OPENAI_BASE_URL' };
    assert.deepEqual(byPath['providers.openai.base_url'], { value: 'http://env/v1', origin });
    assert.equal(settings.filter(({ path }) => path === 'providers.openai.base_url').length, 1);
    assert.match(JSON.stringify(byPath['providers.openai.api_key']), /OPENAI_API_KEY is not set; it is required/);
  });

  test('never shows a complete key, short or long, as text or as JSON', async () => {
    for (const secret of [key, 'short', 'a'.repeat(15), 'nodashes0123456789']) {
      for (const output of ['text', 'json']) {
        const { out, err } = await config(['show', '--output', output], { env: { OPENAI_API_KEY: secret } });
        assert.ok(!(out + err).includes(secret) && !(out + err).includes(secret.slice(0, 8)), secret);
      }
    }
  });

  test('prints a table', async () => {
    write('[models.fast]\ntargets = ["openai/x"]\n');
    const { out } = await config(['show']);
    assert.match(out, /^SETTING +VALUE +FROM\n/);
    assert.match(out, /^models\.fast\.targets +\["openai\/x"\] +simple-agents\.toml:2$/m);
    assert.match(out, /^timeouts\.total +\(none for a streamed call, 10m for one that is not streamed\) +default$/m);
  });
});

describe('config set', () => {
  test('changes a setting and nothing else, comments and permissions included', async () => {
    write('# mine\n[client]\nmax_tokens = 1 # why\n');
    chmodSync(file, 0o600);
    const { exitCode, out } = await config(['set', 'client.max_tokens', '7']);
    assert.deepEqual([exitCode, out], [0, 'client.max_tokens = 7 in simple-agents.toml\n']);
    assert.equal(read(), '# mine\n[client]\nmax_tokens = 7 # why\n');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(cwd), ['simple-agents.toml']);
  });

  test('creates the file if there is none', async () => {
    assert.match((await config(['set', 'models.fast.targets', 'openai/a', 'groq/b'])).out, /, a new file\n$/);
    assert.equal(read(), '[models.fast]\ntargets = ["openai/a", "groq/b"]\n');
  });

  test('follows a link instead of replacing it', async () => {
    folder.write('real.toml', '[client]\nmax_tokens = 1\n');
    symlinkSync(join(folder.path, 'real.toml'), file);
    await config(['set', 'client.max_tokens', '2']);
    assert.ok(lstatSync(file).isSymbolicLink());
    assert.equal(read(join(folder.path, 'real.toml')), '[client]\nmax_tokens = 2\n');
  });

  const refused: readonly [name: string, argv: readonly string[], problem: RegExp][] = [
    ['an unknown setting', ['timeouts.idel', '3s'], /timeouts\.idel: unknown setting; did you mean "timeouts\.idle"\?/],
    ['a wrong value', ['timeouts.idle', '3'], /simple-agents\.toml:\d+: \[timeouts\] idle: "3" has no unit/],
    ['a wrong type', ['client.max_tokens', 'many'], /max_tokens: must be an integer, not a string/],
    ['a key', ['providers.openai.api_key', key], /an API key must not be in this file/],
    ['a target of an unknown provider', ['models.x.targets', 'nobody/x'], /unknown provider "nobody"/],
  ];
  for (const [name, argv, problem] of refused) {
    test(`rejects ${name} and does not change the file`, async () => {
      write('[client]\nmax_tokens = 1\n');
      const { exitCode, err } = await config(['set', ...argv]);
      assert.equal(exitCode, 2);
      assert.match(err, problem);
      assert.ok(!err.includes(key));
      assert.equal(read(), '[client]\nmax_tokens = 1\n');
    });
  }

  test('does not change a file that is already invalid', async () => {
    write('[client\n');
    const { exitCode, err } = await config(['set', 'client.max_tokens', '1']);
    assert.deepEqual([exitCode, read()], [2, '[client\n']);
    assert.match(err, /simple-agents\.toml:1:8: not valid TOML/);
  });
});

describe('config validate', () => {
  test('accepts a valid file, and no file', async () => {
    assert.match((await config(['validate'])).out, /no configuration file found/);
    write('[client]\n');
    assert.deepEqual(await config(['validate']), { exitCode: 0, out: 'simple-agents.toml is valid\n', err: '' });
  });

  test('reports every problem', async () => {
    write('[timeouts]\nidel = "3s"\n[client]\nmax_tokens = 0\n');
    const { exitCode, err } = await config(['validate', 'simple-agents.toml']);
    assert.equal(exitCode, 2);
    assert.match(err, /simple-agents\.toml:2: .*\n.*simple-agents\.toml:4: /);
    assert.equal((await config(['validate', 'missing.toml'])).exitCode, 2);
  });
});

describe('config path', () => {
  test('prints the file on stdout and the searched paths on stderr', async () => {
    write('');
    const { out, err } = await config(['path'], { env: { HOME: '/nowhere' } });
    assert.equal(out, `${file}\n`);
    assert.match(err, /simple-agents\.toml: used\n +\/nowhere\/\.config\/simple-agents\/config\.toml: not found/);
  });

  test('reports that there is none, and the variable that names one', async () => {
    const none = await config(['path'], { env: { HOME: '/nowhere' } });
    assert.deepEqual([none.exitCode, none.out], [0, '']);
    assert.match(none.err, /^no configuration file found; searched paths:/);
    const { out } = await config(['path', '--output', 'json'], { env: { SIMPLE_AGENTS_CONFIG: 'x.toml' } });
    const looked = [{ path: join(cwd, 'x.toml'), variable: 'SIMPLE_AGENTS_CONFIG', exists: false }];
    assert.deepEqual(JSON.parse(out), { file: null, looked });
  });
});
