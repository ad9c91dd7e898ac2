// A guard: reads one call as JSON from standard input and writes allow or block. Any failure blocks the call.

import { readFileSync } from 'node:fs';

/** What the agent must not do in this project: tools, argument, pattern and reason. */
const rules = [
  { tools: ['Bash'], field: 'command', pattern: /\bgit\s+push\b/, reason: 'pushing is left to people' },
  { tools: ['Bash'], field: 'command', pattern: /\bnpm\s+publish\b/, reason: 'publishing is left to people' },
  {
    tools: ['Edit', 'Write'],
    field: 'file_path',
    pattern: /(^|\/)package-lock\.json$/,
    reason: 'npm install changes it',
  },
  { tools: ['Read', 'Edit', 'Write'], field: 'file_path', pattern: /(^|\/)\.env(\.|$)/, reason: 'it holds secrets' },
];

const { tool, input } = JSON.parse(readFileSync(0, 'utf8'));
const rule = rules.find(({ tools, field, pattern }) => tools.includes(tool) && pattern.test(String(input[field])));
const decision = rule === undefined ? { action: 'allow' } : { action: 'block', reason: rule.reason };
process.stdout.write(`${JSON.stringify(decision)}\n`);
