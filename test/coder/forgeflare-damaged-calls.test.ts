// The coding agent as a real process, with a model whose tool calls break off: nothing on the disk changes.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { forgeflare, projects, reaching, startModel, type Wire } from '../support/forgeflare-process.ts';

const newProject = projects();
const lines = Array.from({ length: 50 }, (_, index) => `${index + 1}\n`).join('');

const toolCalls = [
  { name: 'Bash', rawInput: '{"command":"rm -rf data/' },
  { name: 'Write', rawInput: String.raw`{"file_path":"whole.txt","content":"1\n2\n` },
  { name: 'Edit', rawInput: '{"file_path":"whole.txt","old_str":"50","new_str":"' },
];

for (const wire of ['anthropic', 'openai'] satisfies Wire[]) {
  test(`a model that speaks ${wire} and breaks off its calls leaves the files untouched`, async (context) => {
    const project = newProject({ 'data/kept.txt': 'kept\n', 'whole.txt': lines });
    const server = await startModel(context, {
      replies: [{ toolCalls, stopReason: 'tool-calls' }, { text: 'I will send them again.' }],
    });
    const options = { env: reaching(server, wire) };
    const run = await forgeflare(project, ['--permission', 'full', 'clean up'], options);
    assert.equal(run.exitCode, 0, run.err);
    assert.ok(existsSync(join(project.path, 'data/kept.txt')));
    assert.equal(readFileSync(join(project.path, 'whole.txt'), 'utf8'), lines);
    const [, second] = server.requests.map(({ body }) => JSON.stringify(body));
    for (const { rawInput } of toolCalls) assert.ok(second?.includes(JSON.stringify(rawInput).slice(1, -1)), rawInput);
    assert.match(run.err, /closed-truncated/);
  });
}

for (const wire of ['anthropic', 'openai'] satisfies Wire[]) {
  test(`a model that speaks ${wire} and writes its calls in another notation gets them run`, async (context) => {
    const project = newProject({ 'whole.txt': lines });
    const harmless = [
      { name: 'Write', rawInput: '```json\n{filePath: \'new.txt\', "content": "hello\\n",}\n```' },
      {
        name: 'Edit',
        rawInput: '{"file_path":"whole.txt","oldStr":"50","new-str":"fifty","replace_all":"true"}',
      },
    ];
    const server = await startModel(context, {
      replies: [{ toolCalls: harmless, stopReason: 'tool-calls' }, { text: 'Done.' }],
    });
    const run = await forgeflare(project, ['--permission', 'full', 'go'], { env: reaching(server, wire) });
    assert.equal(run.exitCode, 0, run.err);
    assert.equal(readFileSync(join(project.path, 'new.txt'), 'utf8'), 'hello\n');
    assert.ok(readFileSync(join(project.path, 'whole.txt'), 'utf8').endsWith('fifty\n'));
  });
}
