// Plugins from disk: what they add works, and every broken plugin is a start-up error that names it and the fix.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import { createGateway } from '../node.ts';
import { assemble } from '../core/assembler.ts';
import { textOf, text } from '../core/message.ts';
import { failsWith } from '../../test/support/fails-with.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { parseConfig } from './file-tier.ts';
import { loadSettings } from './load.ts';
import { pluginLoader } from './plugin-loader.ts';

const folder = temporaryFolder();
let count = 0;

/** Writes a configuration and its plugins to a new folder. */
function write(config: string, files: Readonly<Record<string, string>> = {}): string {
  const cwd = join(folder.path, String(count++));
  for (const [name, content] of Object.entries({ 'simple-agents.toml': config, ...files })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  return cwd;
}

const load = (cwd: string) => loadSettings({ cwd, env: {}, path: join(cwd, 'simple-agents.toml') });

const guardrail = (name: string) =>
  `api.addGuardrail({ name: '${name}', create: () => ({ window: 1, find: () => [] }) });`;
const plugin = (body: string) => `export const apiVersion = 1;\nexport async function register(api) {\n${body}\n}\n`;
const one = 'plugins = ["./p.mjs"]\n';

const broken: Readonly<Record<string, readonly [config: string, files: Record<string, string>, message: RegExp]>> = {
  'a missing file': ['plugins = ["./nowhere.ts"]', {}, /^simple-agents.toml:1: plugin \.\/nowhere\.ts: file not found/],
  'a missing package': [
    'plugins = ["nowhere"]',
    {},
    /plugin nowhere: the package is not installed.*npm install nowhere/,
  ],
  'a file without ./': ['plugins = ["p.mjs"]', { 'p.mjs': plugin('') }, /for a file, write "\.\/p\.mjs"/],
  'a URL': ['plugins = ["https://example.com/p.js"]', {}, /is a URL, but plugins are loaded only from disk/],
  'a data URL': ['plugins = ["data:text/javascript,1"]', {}, /is a URL/],
  'no list': ['plugins = "./p.mjs"', {}, /plugins: must be a list of files or packages/],
  'a plugin twice': ['plugins = ["./p.mjs", "./p.mjs"]', { 'p.mjs': plugin('') }, /is listed twice/],
  'a key below a table': ['[client]\nplugins = []', {}, /belongs at the top of the file, before the first \[table\]/],
  'a syntax error': [one, { 'p.mjs': 'export const = 1' }, /plugin \.\/p\.mjs: cannot be loaded: SyntaxError/],
  'a throw at load': [one, { 'p.mjs': 'throw new Error("broken disk")' }, /cannot be loaded: Error: broken disk$/],
  'a missing import': [one, { 'p.mjs': 'import "./gone.mjs"' }, /cannot be loaded: Error: Cannot find module/],
  'no register': [one, { 'p.mjs': 'export const apiVersion = 1;' }, /exports no function "register"; export const/],
  'no version': [one, { 'p.mjs': 'export function register() {}' }, /exports no "apiVersion"/],
  'a wrong version': [
    one,
    { 'p.mjs': 'export const apiVersion = 2; export function register() {}' },
    /was written for version 2 of the plugin API, but this is version 1; install a version/,
  ],
  'a throw in register': [
    one,
    { 'p.mjs': plugin('throw new TypeError("no disk");') },
    /register\(\) failed: TypeError: no disk; fix the plugin or remove it$/,
  ],
  'a rejected string': [one, { 'p.mjs': plugin('throw "no";') }, /register\(\) failed: Error: no/],
  'a clash with a built-in type': [
    one,
    { 'p.mjs': plugin(`api.addProvider({ name: 'openai', create: () => ({}) });`) },
    /plugin \.\/p\.mjs: adds the provider "openai", which SimpleAgents itself already provides; choose another name/,
  ],
  'a clash with a built-in strategy': [
    one,
    { 'p.mjs': plugin(`api.addStrategy({ name: 'cost', create: () => ({}) });`) },
    /adds the strategy "cost", which SimpleAgents itself/,
  ],
  'a clash with a built-in wire': [
    one,
    {
      'p.mjs': plugin(
        `const f = () => {}; api.addWire({ name: 'openai-chat', path: '/', findUnsupported: f, encodeRequest: f, decodeStream: f, decodeBody: f, decodeError: f, scanStream: f });`,
      ),
    },
    /adds the wire "openai-chat", which SimpleAgents itself/,
  ],
  'a clash of two plugins': [
    'plugins = ["./a.mjs", "./b.mjs"]',
    { 'a.mjs': plugin(guardrail('g')), 'b.mjs': plugin(guardrail('g')) },
    /plugin \.\/b\.mjs: adds the guardrail "g", which \.\/a\.mjs already provides/,
  ],
  'a name with a slash': [one, { 'p.mjs': plugin(guardrail('a/b')) }, /adds a guardrail without a valid name/],
  'no definition': [one, { 'p.mjs': plugin('api.addProvider();') }, /adds a provider without a valid name/],
  'an incomplete wire': [
    one,
    { 'p.mjs': plugin(`api.addWire({ name: 'w', path: '/' });`) },
    /adds a wire without the function findUnsupported\(\)/,
  ],
  'a provider without a way to call it': [
    one,
    { 'p.mjs': plugin(`api.addProvider({ name: 'x' });`) },
    /has neither create\(\) nor a wire/,
  ],
  'an unknown wire': [
    one,
    { 'p.mjs': plugin(`api.addProvider({ name: 'x', wire: 'openai-chatt' });`) },
    /unknown wire "openai-chatt", did you mean|unknown wire "openai-chatt"; did you mean/,
  ],
  'no create': [
    one,
    { 'p.mjs': plugin(`api.addGuardrail({ name: 'g' });`) },
    /adds a guardrail without a function create\(\)/,
  ],
  'a guardrail without a window': [
    one,
    { 'p.mjs': plugin(`api.addGuardrail({ name: 'g', create: () => ({ find: () => [] }) });`) },
    /its guardrail "g" has no function find\(\) or no window/,
  ],
  'a guardrail that cannot be created': [
    one,
    { 'p.mjs': plugin(`api.addGuardrail({ name: 'g', create() { throw new Error('bad pattern'); } });`) },
    /plugin \.\/p\.mjs: its guardrail "g" cannot be created: bad pattern/,
  ],
  'an unknown provider type': [
    `${one}[[providers]]\ntype = "x"`,
    { 'p.mjs': plugin('') },
    /\[\[providers\]\] type: "x" is not a valid value/,
  ],
  'an unknown guardrail': [
    `${one}[guardrails.h]\nenabled = true`,
    { 'p.mjs': plugin(guardrail('g')) },
    /\[guardrails\.h\].*no plugin adds this name/,
  ],
};

const schema = `settings: { type: 'object', properties: { limit: { type: 'integer', minimum: 1 } }, required: ['limit'], additionalProperties: false }`;
const typed = plugin(`api.addProvider({ name: 'x', ${schema}, create: () => ({}) });
api.addGuardrail({ name: 'g', ${schema}, create: () => ({ window: 1, find: () => [] }) });`);
const entry = (settings: string) =>
  `${one}\n[guardrails.g]\nsettings = { limit = 1 }\n\n[[providers]]\ntype = "x"\n${settings}\n`;

const badSettings: Readonly<Record<string, readonly [config: string, message: RegExp]>> = {
  'required settings of a guardrail without an entry': [
    one,
    /\[guardrails\.g\] settings\.limit: is required \(plugin \.\/p\.mjs\)/,
  ],
  'required settings of a provider': [entry(''), /:6: \[\[providers\]\] settings\.limit: is required/],
  'a wrong type': [
    entry('settings = { limit = "sk-secret" }'),
    /simple-agents\.toml:8: \[\[providers\]\] settings\.limit: must be a whole number \(plugin/,
  ],
  'a wrong value': [entry('settings = { limit = 0 }'), /settings\.limit: must be at least 1/],
  'an unknown setting': [
    entry('settings = { limit = 1, limt = 2 }'),
    /settings\.limt: unknown setting; did you mean "limit"\?/,
  ],
  'no table': [entry('settings = 5'), /settings: must be a table/],
};

describe('a broken plugin is an error at the start:', () => {
  for (const [name, [config, files, message]] of Object.entries(broken)) {
    test(name, async () => {
      await assert.rejects(load(write(config, files)), (error: unknown) => {
        assert.ok(error instanceof SimpleAgentsError);
        assert.doesNotMatch(error.message, /\n\s+at /);
        return failsWith('configuration', message)(error);
      });
    });
  }
  for (const [name, [config, message]] of Object.entries(badSettings)) {
    test(name, async () => {
      await assert.rejects(load(write(config, { 'p.mjs': typed })), (error: unknown) => {
        assert.doesNotMatch(String(error), /sk-secret/);
        return failsWith('configuration', message)(error);
      });
    });
  }

  test('a load or a registration that never ends', async () => {
    for (const content of ['await new Promise(() => {});', plugin('await new Promise(() => {});')]) {
      const file = join(write('', { 'p.mjs': content }), 'simple-agents.toml');
      const message = /plugin \.\/p\.mjs: did not finish loading and register\(\) within 0\.05 s; do slow work/;
      await assert.rejects(pluginLoader(file, { timeout: 50 })(['./p.mjs']), failsWith('configuration', message));
    }
  });

  test('an addition after the registration', async () => {
    const content = plugin(`globalThis.lateApi = api;`);
    await load(write(one, { 'p.mjs': content }));
    const { lateApi } = globalThis as unknown as { lateApi: { addProvider(definition: object): void } };
    assert.throws(
      () => lateApi.addProvider({ name: 'late' }),
      failsWith('configuration', /adds a provider after register\(\) has returned/),
    );
  });
});

const echo = plugin(`api.addProvider({
  name: 'echo', defaultModel: 'loud', keyEnv: 'ECHO_KEY',
  settings: { type: 'object', properties: { suffix: { type: 'string', default: '!' } }, additionalProperties: false },
  create: ({ name, settings }) => ({ name: 'other', async open(request) {
    const text = request.messages.at(-1).content[0].text + settings.suffix;
    const usage = { input: 1, output: 1 };
    return { target: name, ended: Promise.resolve({ type: 'complete', stopReason: 'end', usage }), async *[Symbol.asyncIterator]() {
      yield { type: 'message-start', id: '1', model: request.model };
      for (const character of text) yield { type: 'text-delta', index: 0, text: character };
      yield { type: 'block-end', index: 0, block: { type: 'text', text } };
      yield { type: 'message-end', stopReason: 'end', usage };
    } };
  } }),
});`);
const shout = plugin(`api.addGuardrail({
  name: 'shout', settings: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  create: ({ word }) => ({ window: word.length, *find(text, from) {
    for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + word.length)) yield { start: at, end: at + word.length, replacement: '***' };
  } }),
});
api.addStrategy({ name: 'last', create: () => ({ order: (targets) => targets.toReversed() }) });`);

async function ask(cwd: string, model: string, words: string): Promise<string> {
  const gateway = createGateway(await load(cwd));
  const request = { model, messages: [{ role: 'user', content: [text(words)] }] } as const;
  const stream = await gateway.open(request, new AbortController().signal);
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  await gateway.close();
  return textOf(assemble(events).content);
}

describe('plugins add', () => {
  const config = `plugins = ["./echo.mjs", "shout"]
[router]
strategy = "last"
[[providers]]
type = "echo"
[[providers]]
type = "echo"
name = "quiet"
settings = { suffix = "." }
[models.both]
targets = ["echo/a", "quiet/a"]
[guardrails.shout]
providers = ["echo"]
settings = { word = "secret" }
`;
  const manifest = JSON.stringify({ name: 'shout', exports: { '.': { import: './lib/index.mjs' } } });
  const files = {
    'echo.mjs': echo,
    'node_modules/shout/package.json': manifest,
    'node_modules/shout/lib/index.mjs': shout,
  };
  const cwd = write(config, files);

  test('provider types, with their default model and settings', async () => {
    assert.equal(await ask(cwd, 'echo', 'hi'), 'hi!');
    assert.equal(await ask(cwd, 'quiet/any', 'hi'), 'hi.');
    const { providers } = await load(cwd);
    assert.equal(providers[0]?.model, 'loud');
    assert.equal(providers[0]?.keyEnv, 'ECHO_KEY');
  });

  test('guardrails, for the providers that the configuration names', async () => {
    assert.equal(await ask(cwd, 'echo', 'a secret'), 'a ***!');
    assert.equal(await ask(cwd, 'quiet/any', 'a secret'), 'a secret.');
  });

  test('strategies', async () => {
    assert.equal(await ask(cwd, 'both', 'hi'), 'hi.');
  });

  test('the wire of a provider, by name', async () => {
    const row = plugin(
      `api.addProvider({ name: 'row', wire: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', needsKey: true, keyEnv: 'ROW_KEY', label: 'Row' });`,
    );
    const own = write(`${one}[[providers]]\ntype = "row"\nmodel = "m"`, { 'p.mjs': row });
    await assert.rejects(ask(own, 'row/m', 'hi'), failsWith('auth', /Row needs an API key: set ROW_KEY/));
  });
});

test('an engine without Node refuses plugins', async () => {
  const message = /plugins: are not supported here, because they need Node; remove the setting/;
  await assert.rejects(parseConfig(one, 'f.toml'), failsWith('configuration', message));
});

function provider(url: string): string {
  return `[[providers]]\nname = "a"\ntype = "openai"\nbase_url = "${url}"\n`;
}

test('a configuration in a folder that is not trusted sends no request to another machine, unless it is named', async () => {
  for (const [content, place] of [
    [provider('https://evil.example/v1'), 'simple-agents.toml:4: [[providers]] base_url'],
    [provider('http://127.0.0.1.evil.example/v1'), 'simple-agents.toml:4: [[providers]] base_url'],
    [`${provider('http://localhost:1/v1')}[proxy]\nhttps = "http://evil.example"`, '[proxy] https'],
    ['[network]\nca_file = "ca.pem"', '[network] ca_file'],
  ] as const) {
    const cwd = write(content, { 'ca.pem': '' });
    await assert.rejects(loadSettings({ cwd, env: {}, trustsFolder: false }), (error: Error) => {
      assert.ok(error.message.includes(place) && error.message.includes('--config'), error.message);
      return true;
    });
    await loadSettings({ cwd, env: {}, path: 'simple-agents.toml', trustsFolder: false });
    await loadSettings({ cwd, env: {} });
  }
  const local = write(provider('http://[::1]:11434/v1'), {});
  await loadSettings({ cwd: local, env: {}, trustsFolder: false });
});

test('a configuration in a folder that is not trusted loads no plugins, unless it is named', async () => {
  const marker = plugin('globalThis.wasLoaded = true;');
  const cwd = write(one, { 'p.mjs': marker });
  const message = /plugin \.\/p\.mjs: is not loaded: this file is in the folder that the agent works in.*--config/;
  await assert.rejects(loadSettings({ cwd, env: {}, trustsFolder: false }), failsWith('configuration', message));
  assert.ok(!('wasLoaded' in globalThis));
  await loadSettings({ cwd, env: { SIMPLE_AGENTS_CONFIG: 'simple-agents.toml' }, trustsFolder: false });
  assert.ok('wasLoaded' in globalThis);
  const home = write('', {});
  mkdirSync(join(home, '.config/simple-agents'), { recursive: true });
  writeFileSync(join(home, '.config/simple-agents/config.toml'), one);
  writeFileSync(join(home, '.config/simple-agents/p.mjs'), plugin(guardrail('own')));
  const user = await loadSettings({ cwd: join(home, '.config'), env: { HOME: home }, trustsFolder: false });
  assert.deepEqual(
    user.guardrails?.map(({ name }) => name),
    ['own'],
  );
});
