// A guard: reads one call as JSON from standard input, says allow or block. Whatever goes wrong here blocks the call.

import { readFileSync } from 'node:fs';

/** What is left to people in this project: where it would stand in a call, and why. */
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
const answer = rule === undefined ? { action: 'allow' } : { action: 'block', reason: rule.reason };
process.stdout.write(`${JSON.stringify(answer)}\n`);
