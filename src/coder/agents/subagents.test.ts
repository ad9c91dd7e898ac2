// The agents that a Task call can choose from, and their tools.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../../test/support/fails-with.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { toSubagents, type SubagentSetting } from './subagents.ts';

const known = ['Read', 'Glob', 'Grep', 'Bash', 'Edit', 'Write'];
const agent = (changes: Partial<AgentDefinition>): AgentDefinition => ({
  name: 'reviewer',
  description: 'Reviews',
  prompt: 'Review it.',
  file: 'reviewer.md',
  ...changes,
});

function choose(agents: readonly AgentDefinition[], changes: Partial<SubagentSetting> = {}) {
  const warnings: string[] = [];
  const subagents = toSubagents({
    agents,
    known,
    offered: known,
    systemOf: (prompt = 'usual') => `system: ${prompt}`,
    checkModel: (name) => {
      if (name === 'unknown') throw new Error('no provider has the model "unknown"');
    },
    warn: (line) => void warnings.push(line),
    ...changes,
  });
  return { subagents, warnings };
}

describe('the agents', () => {
  test('are the built-in ones and those of files; a later one replaces one of the same name', () => {
    const { subagents } = choose([agent({}), agent({ description: 'Better' }), agent({ name: 'explore' })]);
    assert.deepEqual(
      subagents.map(({ name, description, system }) => [name, description, system]),
      [
        ['general', 'Any task with several steps: searching, changing files, running commands.', 'system: usual'],
        ['explore', 'Reviews', 'system: Review it.'],
        ['reviewer', 'Better', 'system: Review it.'],
      ],
    );
  });

  test('have at most the tools of the run', () => {
    const offered = ['Read', 'Edit'];
    const { subagents } = choose([agent({ tools: ['Bash', 'Read'] }), agent({ name: 'runner', tools: ['Bash'] })], {
      offered,
    });
    assert.deepEqual(
      subagents.map(({ name, tools }) => [name, tools]),
      [
        ['general', undefined],
        ['explore', ['Read']],
        ['reviewer', ['Read']],
        ['runner', []],
      ],
    );
  });

  test('may not name a tool that does not exist', () => {
    assert.throws(
      () => choose([agent({ tools: ['Raed'] }), agent({ name: 'b', file: 'b.md', tools: ['Bash(git:*)'] })]),
      failsWith(
        'configuration',
        /reviewer\.md: tools: there is no tool "Raed"; did you mean "Read"\?\nb\.md: tools: there is no tool "Bash\(git:\*\)"/,
      ),
    );
  });

  test('may name a tool of an MCP server that is absent, and a model that is not available', () => {
    const { subagents, warnings } = choose([agent({ tools: ['Read', 'mcp__db__query'], model: 'unknown' })]);
    assert.deepEqual(subagents.at(-1)?.tools, ['Read']);
    assert.match(warnings.join('\n'), /reviewer\.md: tools: there is no tool "mcp__db__query"/);
    assert.match(warnings.join('\n'), /reviewer\.md: model: no provider has .*; tasks for this agent will fail/);
  });
});
