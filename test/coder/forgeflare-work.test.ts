// The coding agent on a complete task, with a scripted model in both wires: it finds a bug, edits, runs the tests and
// reports. The session is on the disk and can be continued, and no key leaks.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forgeflare, projects, reaching, startModel, type Project, type Wire } from '../support/forgeflare-process.ts';

const newProject = projects();

const files = {
  'package.json': '{"type": "module"}\n',
  'sum.js': 'export function sum(a, b) {\n  return a - b;\n}\n',
  'sum.test.js':
    "import assert from 'node:assert/strict';\nimport { sum } from './sum.js';\nassert.equal(sum(2, 3), 5);\nconsole.log('all good');\n",
  'AGENTS.md': 'Names are in lower case.\n',
};

const fix = {
  replies: [
    {
      text: 'I will look.',
      toolCalls: [
        { name: 'Glob', input: { pattern: '*.js' } },
        { name: 'Read', input: { file_path: 'sum.js' } },
      ],
    },
    { toolCalls: [{ name: 'Bash', input: { command: 'node sum.test.js' } }] },
    { toolCalls: [{ name: 'Edit', input: { file_path: 'sum.js', old_str: 'a - b', new_str: 'a + b' } }] },
    { toolCalls: [{ name: 'Bash', input: { command: 'node sum.test.js' } }] },
    { text: 'sum.js:2 subtracted. It adds now, and the test passes.' },
    { text: 'You are welcome.' },
  ],
};

interface Line {
  readonly type: string;
  readonly sessionId: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly message: { readonly role: string; readonly content: readonly { readonly type: string }[] };
}

function sessionLines({ path }: Project): Line[] {
  const found = globSync('.entire/metadata/*/full.jsonl', { cwd: path });
  assert.equal(found.length, 1);
  const text = readFileSync(join(path, found[0] ?? ''), 'utf8');
  assert.ok(text.endsWith('\n'));
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

// Without a sandbox on the machine, a headless run needs permission to use Bash. With one, this allows nothing more.
const permitted = ['--permission', 'full'];

for (const wire of ['anthropic', 'openai'] satisfies Wire[]) {
  describe(`a bug, with a model that speaks ${wire}`, () => {
    test('is found, fixed, tested and reported; the session can be continued', async (context) => {
      const project = newProject(files);
      const server = await startModel(context, fix);
      const env = reaching(server, wire);
      const run = await forgeflare(project, [...permitted, 'fix the failing test'], { env });
      assert.equal(run.exitCode, 0, run.err);
      assert.equal(run.out, 'sum.js:2 subtracted. It adds now, and the test passes.\n');
      assert.match(run.err, /I will look\.\n● Glob \*\.js\n● Read sum\.js\n/);
      assert.match(run.err, /● Bash node sum\.test\.js\n {2}error after [\d.]+ m?s: /);
      assert.match(run.err, /- {2}return a - b;\n {2}\+ {2}return a \+ b;\n/);
      assert.match(run.err, /5 tool calls/);
      assert.match(readFileSync(join(project.path, 'sum.js'), 'utf8'), /a \+ b/);

      const lines = sessionLines(project);
      assert.deepEqual(
        lines.map(({ type }) => type),
        ['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
      );
      lines.forEach((line, index) => assert.equal(line.parentUuid, lines[index - 1]?.uuid ?? null));
      assert.ok(lines[1]?.message.content.some(({ type }) => type === 'tool_use'));
      assert.ok(lines[2]?.message.content.every(({ type }) => type === 'tool_result'));

      const more = await forgeflare(project, [...permitted, '--continue', 'thank you'], { env });
      assert.equal(more.out, 'You are welcome.\n', more.err);
      assert.equal(sessionLines(project).length, 12);
      const { body } = server.requests.at(-1) ?? {};
      assert.match(JSON.stringify(body), /fix the failing test.*It adds now.*thank you/s);
      assert.match(JSON.stringify(body), /Names are in lower case/);
    });
  });
}

function marks(value: unknown): number {
  return JSON.stringify(value).split('"cache_control"').length - 1;
}

test('the prompt is marked for the cache: tools, system and the last messages, where the provider wants that', async (context) => {
  const project = newProject(files);
  const server = await startModel(context, fix);
  await forgeflare(project, [...permitted, 'fix it'], { env: reaching(server) });
  const { body } = server.requests.at(-1) as unknown as { body: Record<string, unknown> };
  assert.deepEqual([marks(body['tools']), marks(body['system']), marks(body['messages']), marks(body)], [1, 1, 2, 4]);
  const other = await startModel(context, fix);
  await forgeflare(newProject(files), [...permitted, 'fix it'], { env: reaching(other, 'openai') });
  assert.equal(marks(other.requests.at(-1)?.body), 0);
});

test('the result as JSON has text, usage, cost, session, stop reason and tool counts', async (context) => {
  const project = newProject(files);
  const server = await startModel(context, fix);
  const run = await forgeflare(project, [...permitted, '--output-format', 'json', 'fix it'], { env: reaching(server) });
  const report = JSON.parse(run.out) as Record<string, unknown>;
  const session = sessionLines(project)[0]?.sessionId;
  assert.equal(report['result'], 'sum.js:2 subtracted. It adds now, and the test passes.');
  assert.equal(report['stopReason'], 'end');
  assert.equal(report['sessionId'], session);
  assert.equal(report['model'], 'anthropic/claude-opus-4-6');
  assert.equal(report['iterations'], 4);
  assert.equal(report['error'], null);
  assert.equal(typeof report['costUsd'], 'number');
  assert.deepEqual(Object.keys(report['usage'] as object), ['input', 'output', 'cacheRead', 'cacheWrite']);
  assert.deepEqual(report['tools'], {
    Glob: { calls: 1, errors: 0 },
    Read: { calls: 1, errors: 0 },
    Bash: { calls: 2, errors: 1 },
    Edit: { calls: 1, errors: 0 },
  });
});

test('a key of the user’s appears in no tool, line, session or error', async (context) => {
  const canary = 'sk-ant-canary-0123456789abcdef';
  const project = newProject(files);
  const server = await startModel(context, {
    replies: [
      { toolCalls: [{ name: 'Bash', input: { command: 'env; cat /proc/self/environ; true' } }] },
      { text: 'Seen.' },
      { fault: { status: 401, message: `no such key ${canary}` } },
    ],
  });
  const env = { ...reaching(server), ANTHROPIC_API_KEY: canary, MY_SERVICE_TOKEN: `${canary}-token` };
  const first = await forgeflare(project, [...permitted, '--verbose', 'look at the environment'], { env });
  const second = await forgeflare(project, [...permitted, '--continue', 'and again'], { env });
  const kept = globSync('**/*', { cwd: project.path, withFileTypes: true })
    .concat(globSync('.entire/**/*', { cwd: project.path, withFileTypes: true }))
    .concat(globSync('**/*', { cwd: project.home, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  assert.ok(kept.length > 3);
  for (const text of [first.out, first.err, second.out, second.err, ...kept]) assert.ok(!text.includes('canary'), text);
  assert.ok(server.requests.every(({ body }) => !JSON.stringify(body).includes('canary')));
});
