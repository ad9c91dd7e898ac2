// Kills the processes of a test run when the run itself was killed: `node reaper.ts MARK`. The run writes the id of each
// process group as a line to the standard input; when that ends, the run has ended.

import { createInterface } from 'node:readline';
import { killProcesses } from './processes.ts';

const [, , mark = ''] = process.argv;
const groups: number[] = [];
for await (const line of createInterface({ input: process.stdin })) groups.push(Number(line));
if (mark !== '') await killProcesses({ mark, groups });
