// `complete --schema` and `complete --tool`: a typed value or tool calls on stdout, the rest on stderr.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { runCli, type MemoryOptions } from '../../../../test/support/memory-terminal.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createSimulateServer, type SimulateServer } from '../../../testing/simulate/server.ts';

const folder = temporaryFolder();
const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const call = (input: unknown) => ({ type: 'tool-call', id: 'call_1', name: 'get_weather', input });
const damaged = 'Sure! {name: \'Ada\', age: "36",}';

folder.write('person.json', JSON.stringify(person));
folder.write('weather.json', JSON.stringify({ name: 'get_weather', description: 'The weather', inputSchema: city }));
folder.write('scripted.toml', '[[providers]]\ntype = "simulated"\nscript = "script.json"\n');
folder.write(
  'script.json',
  JSON.stringify({
    otherwise: 'reply',
    replies: [
      { match: 'whole', text: '{"name": "Ada", "age": 36}' },
      { match: 'damaged', text: damaged },
      { match: 'hopeless', text: 'I do not know.' },
      { match: 'incomplete', text: '{\'name\': "Ada"}' },
      { match: 'call', blocks: [{ type: 'text', text: 'Let me look.' }, call({ city: 'Paris' })] },
      { match: 'misfit', blocks: [call({ town: 5 })] },
      { match: 'twice', blocks: [call({ city: 'Paris' }), { ...call({ city: 'Rome' }), id: 'call_2' }] },
    ],
  }),
);

const complete = (argv: readonly string[], options: MemoryOptions = {}) =>
  runCli(['complete', '--config', 'scripted.toml', ...argv], { cwd: folder.path, ...options });
const typed = (...argv: string[]) => complete(['--schema', 'person.json', ...argv]);
const offered = (...argv: string[]) => complete(['--tool', 'weather.json', ...argv]);

describe('--schema', () => {
  test('prints the value, and no changes if there were none', async () => {
    const expected = { exitCode: 0, out: '{\n  "name": "Ada",\n  "age": 36\n}\n', err: '' };
    assert.deepEqual(await typed('-q', 'whole'), expected);
    assert.doesNotMatch((await typed('whole')).err, /confidence|change/);
  });

  test('prints the healed value on stdout and each change on stderr', async () => {
    const { exitCode, out, err } = await typed('damaged');
    assert.equal(exitCode, 0);
    assert.deepEqual(JSON.parse(out), { name: 'Ada', age: 36 });
    assert.match(err, /^confidence 0\.99\d: 6 changes\n {2}stripped-prose /m);
    assert.match(err, /^ {2}type-coercion +age +string → integer$/m);
    assert.equal((await typed('damaged', '--quiet')).err, '');
  });

  test('prints partial values with --stream, and the complete one last', async () => {
    const { out } = await typed('damaged', '--stream', '-q');
    const lines = out.trimEnd().split('\n');
    assert.ok(lines.length > 1);
    assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { name: 'Ada', age: 36 });
  });

  test('has value, flags and confidence in JSON, in a separate last line if streamed', async () => {
    const { value, confidence, flags, text } = JSON.parse((await typed('damaged', '-q', '--output', 'json')).out);
    assert.deepEqual({ value, text }, { value: { name: 'Ada', age: 36 }, text: damaged });
    const { out } = await typed('damaged', '-q', '--output', 'json', '--stream');
    const events = out.trimEnd().split('\n');
    assert.deepEqual(JSON.parse(events.at(-1) ?? ''), { type: 'value', value, flags, confidence });
  });

  test('ends with 7 and an empty stdout if there is no value', async () => {
    const { exitCode, out, err } = await typed('hopeless');
    assert.deepEqual([exitCode, out], [7, '']);
    assert.match(err, /^simple-agents: simulated: the text contains no value\n/m);
  });

  test('reports the changes even if the value does not match', async () => {
    const { exitCode, out, err } = await typed('incomplete');
    assert.deepEqual([exitCode, out], [7, '']);
    assert.match(err, /^simple-agents: .*age: required, but missing from the text\n/m);
  });

  test('reports a failure as JSON with --output json', async () => {
    const { exitCode, out } = await typed('hopeless', '--output', 'json', '-q');
    const { error } = JSON.parse(out) as { error: { kind: string } };
    assert.deepEqual([exitCode, error.kind], [7, 'healing']);
  });

  test('rejects a file that is not a schema before any call', async () => {
    folder.write('broken.json', '{"type":');
    folder.write('wrapped.json', JSON.stringify({ name: 'person', schema: person }));
    for (const [file, problem] of [
      ['nowhere.json', 'file not found'],
      ['broken.json', 'is not JSON'],
      ['wrapped.json', 'pass the schema itself'],
    ] as const) {
      const { exitCode, out, err } = await complete(['--schema', file, 'whole']);
      assert.deepEqual([exitCode, out], [2, '']);
      assert.ok(err.startsWith(`simple-agents: --schema ${file}: `) && err.includes(problem), err);
    }
  });
});

describe('--tool', () => {
  test('prints each call as a line of JSON; other text goes to stderr', async () => {
    const { exitCode, out, err } = await offered('call');
    assert.deepEqual([exitCode, out], [0, '{"id":"call_1","name":"get_weather","input":{"city":"Paris"}}\n']);
    assert.match(err, /^Let me look\.\n/m);
    assert.equal((await offered('call', '--quiet')).err, '');
    const { out: several } = await offered('twice', '-q');
    const cities = several
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { input: unknown }).input);
    assert.deepEqual(cities, [{ city: 'Paris' }, { city: 'Rome' }]);
  });

  test('prints the text if the model calls no tool', async () => {
    assert.equal((await offered('hopeless', '-q')).out, 'I do not know.\n');
  });

  test('prints text as it arrives with --stream, then the calls', async () => {
    const { out } = await offered('call', '--stream', '-q');
    assert.equal(out, 'Let me look.\n{"id":"call_1","name":"get_weather","input":{"city":"Paris"}}\n');
  });

  test('works with --schema: prints the calls, or the value if there are none', async () => {
    assert.match((await typed('--tool', 'weather.json', 'call', '-q')).out, /^\{"id":"call_1"/);
    assert.deepEqual(JSON.parse((await typed('--tool', 'weather.json', 'whole', '-q')).out), { name: 'Ada', age: 36 });
  });

  test('ends with 7 if the arguments of a call are invalid', async () => {
    const { exitCode, out, err } = await offered('misfit', '-q');
    assert.deepEqual([exitCode, out], [7, '']);
    assert.match(err, /^simple-agents: .*the arguments of the tool call "get_weather" are invalid: .*city/);
  });

  test('rejects a file without tools', async () => {
    folder.write('empty.json', '[]');
    folder.write('nameless.json', JSON.stringify([{ name: 'a', inputSchema: city }, { inputSchema: city }]));
    folder.write('listed.json', JSON.stringify({ name: 'a', inputSchema: [] }));
    for (const [file, problem] of [
      ['nowhere.json', 'file not found'],
      ['empty.json', 'contains no tools'],
      ['nameless.json', '[1]: a tool must be an object with "name"'],
      ['listed.json', 'the schema of "a" must be an object'],
    ] as const) {
      const { exitCode, out, err } = await complete(['--tool', file, 'call']);
      assert.deepEqual([exitCode, out], [2, '']);
      assert.ok(err.startsWith(`simple-agents: --tool ${file}: ${problem}`), err);
    }
  });
});

describe('over HTTP', () => {
  let server: SimulateServer;
  before(async () => {
    server = await createSimulateServer();
  });
  after(() => server.close());

  const forms = {
    ours: { name: 'get_weather', description: 'd', inputSchema: city },
    anthropic: { name: 'get_weather', description: 'd', 'input_schema': city },
    chat: { type: 'function', function: { name: 'get_weather', description: 'd', parameters: city } },
    responses: [{ type: 'function', name: 'get_weather', description: 'd', parameters: city }],
  };
  for (const [form, definition] of Object.entries(forms)) {
    test(`a tool in the format of ${form} reaches the model`, async () => {
      folder.write('tool.json', JSON.stringify(definition));
      const flags = `complete -q --base-url ${server.url}/v1 -m m --api-key-env KEY --tool tool.json`.split(' ');
      const env = { KEY: 'any' };
      const { exitCode, out } = await runCli([...flags, 'Use get_weather for Paris'], { cwd: folder.path, env });
      assert.equal(exitCode, 0);
      assert.deepEqual((JSON.parse(out) as { input: unknown }).input, { city: 'Paris' });
      const body = server.requests.at(-1)?.body as { tools: { function: object }[] } | undefined;
      assert.deepEqual(body?.tools[0]?.function, { name: 'get_weather', description: 'd', parameters: city });
    });
  }
});
