// Parsing agent files: what is accepted, and what each mistake is called.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAgentFile } from './agent-file.ts';

const front = (...lines: readonly string[]): string => ['---', ...lines, '---', 'Do it.', ''].join('\n');

function agentOf(text: string) {
  const parsed = parseAgentFile(text, 'a.md');
  if ('problems' in parsed) assert.fail(parsed.problems.join('\n'));
  return parsed.agent;
}

function problemsOf(text: string): readonly string[] {
  const parsed = parseAgentFile(text, 'a.md');
  return 'problems' in parsed ? parsed.problems : [];
}

const named = ['name: reviewer', 'description: Reviews'];

describe('an agent file', () => {
  test('has a name, a description, tools, a model and a prompt', () => {
    const agent = agentOf(front(...named, 'tools: Read, Grep', 'model: claude-haiku-4-5'));
    assert.deepEqual(agent, {
      name: 'reviewer',
      description: 'Reviews',
      tools: ['Read', 'Grep'],
      model: 'claude-haiku-4-5',
      prompt: 'Do it.',
      file: 'a.md',
    });
  });

  test('may leave out tools and model, and has a prompt of several lines', () => {
    const agent = agentOf('---\r\nname: a\r\ndescription: b\r\n---\r\n\r\nOne.\r\n\r\n---\r\nTwo.\r\n');
    assert.deepEqual([agent.tools, agent.model, agent.prompt], [undefined, undefined, 'One.\n\n---\nTwo.']);
  });

  test('may write the tools as a list', () => {
    for (const lines of [
      ['tools: [Read, "Grep"]'],
      ['tools:', '  - Read', "  - 'Grep'"],
      ['tools:', '- Read', '- Grep', '- Read'],
      ['tools: "Read, Grep"'],
    ])
      assert.deepEqual(agentOf(front(...named, ...lines)).tools, ['Read', 'Grep'], lines.join());
  });

  test('may quote values, contain comments, and inherit the model', () => {
    const agent = agentOf(`\uFEFF${front('# who', 'name: "rev"', "description: 'It''s: #1'", '', 'model: inherit')}`);
    assert.deepEqual([agent.name, agent.description, agent.model], ['rev', "It's: #1", undefined]);
    assert.equal(agentOf(front('name: a', 'description: Use it: now #3')).description, 'Use it: now #3');
  });
});

describe('an invalid agent file', () => {
  const cases: readonly (readonly [text: string, problem: string | RegExp])[] = [
    ['Do it.', /^a\.md:1: has no front matter; begin the file with ---/],
    ['', /^a\.md:1: has no front matter/],
    ['---\nname: a\n', /^a\.md:1: has no complete front matter/],
    [front('description: b'), 'a.md:1: name: is missing; add name: the name by which the model chooses the agent'],
    [front('name: a'), 'a.md:1: description: is missing; add description: what the agent is good at'],
    [front('name: a b', 'description: c'), 'a.md:2: name: must have 1 to 64 letters, digits, "_" or "-"'],
    [front('name: ../a', 'description: c'), 'a.md:2: name: must have 1 to 64 letters, digits, "_" or "-"'],
    [front('name:', 'description: c'), /^a\.md:2: name: must not be empty/],
    [front('name: a', 'description: ""'), /^a\.md:3: description: must not be empty/],
    [front(...named, 'tool: Read'), 'a.md:4: tool: unknown key; did you mean "tools"?'],
    [front(...named, 'color: red'), 'a.md:4: color: unknown key; the keys are name, description, tools, model'],
    [front(...named, 'permissionMode: full'), /^a\.md:4: permissionMode: unknown key/],
    [front(...named, 'name: b'), 'a.md:4: name: is set twice; remove one'],
    [front(...named, 'just words'), 'a.md:4: must be "key: value" on one line'],
    [front(...named, '  indented: yes'), 'a.md:4: must be "key: value" on one line'],
    [front('name: a', 'description: >', '  folded'), /^a\.md:3: description: must be text on one line/],
    [front('name: a', 'description: "open'), /^a\.md:3: description: must be text on one line/],
    [front(...named, 'tools:'), /^a\.md:4: tools: must name tools/],
    [front(...named, 'tools: ,'), /^a\.md:4: tools: must name tools/],
    [front(...named, 'tools: Read, Task'), /^a\.md:4: tools: .* cannot start others; remove "Task"/],
    [front(...named, 'model: two words'), /^a\.md:4: model: must be the name of a model/],
    [front(...named, 'model:'), /^a\.md:4: model: must be the name of a model/],
    ['---\nname: a\ndescription: b\n---\n \n', /^a\.md:4: has no prompt; write the instructions/],
  ];
  for (const [text, problem] of cases) {
    test(`is named: ${JSON.stringify(text)}`, () => {
      const [first = ''] = problemsOf(text);
      if (typeof problem === 'string') assert.equal(first, problem);
      else assert.match(first, problem);
    });
  }

  test('has all its problems named', () => {
    assert.equal(problemsOf(front('nam: a', 'tools: Task', 'model: a b')).length, 5);
  });
});
