// The agents of examples/agents, installed as their README describes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadProjectAgents } from '../../src/coder/agents/load.ts';
import { toSubagents } from '../../src/coder/agents/subagents.ts';
import { createCodingTools } from '../../src/coder/tools/coding-tools.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const examples = join(import.meta.dirname, '../../examples');
const base = temporaryFolder();

test('the example agents are valid and name tools that exist', async () => {
  const readme = readFileSync(join(examples, 'agents', 'README.md'), 'utf8');
  const [, script = ''] = /```sh\n([^]*?)```/.exec(readme) ?? [];
  execFileSync('sh', ['-ec', script], { cwd: base.path, env: { PATH: process.env['PATH'], EXAMPLES: examples } });
  const table = await loadProjectAgents(base.path);
  const names = createCodingTools({ root: base.path, environment: {} }).map(({ definition }) => definition.name);
  const subagents = toSubagents({
    agents: table?.agents ?? [],
    known: names,
    offered: names,
    systemOf: (prompt = '') => prompt,
    checkModel: () => undefined,
    warn: assert.fail,
  });
  assert.deepEqual(
    subagents.map(({ name, tools }) => [name, tools?.includes('Edit') ?? true]),
    [
      ['general', true],
      ['explore', false],
      ['reviewer', false],
      ['test-writer', true],
    ],
  );
});
