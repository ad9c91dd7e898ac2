// Failover under 30 faults of the first of two targets, over real HTTP, with default settings and with
// `on_cut = "continue"`. Prints for each fault how many calls succeeded, how long they took, how many requests the
// faulty target got, and how soon it was used again. `--check` exits with 1 if a fault has other effects than allowed.
// `--only TEXT` runs the faults whose name contains the text.

import { parseArgs } from 'node:util';
import type { OnCut } from '../src/core/call.ts';
import { faults, type Fault } from './fault-wall/faults.ts';
import { countRequests, findSlow, findWrong, seconds } from './fault-wall/verdict.ts';
import { runFault, type Result, type WallOptions } from './fault-wall/wall.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
/** The default timeouts of a chain, in milliseconds. */
const limits = { connect: 10_000, firstToken: 20_000, idle: 30_000 };
const chosen = faults.filter(({ name }) => name.includes(values.only));
let isMissed = false;

for (const onCut of ['fail', 'continue'] as const) {
  const results = await runAll({ onCut, limits, calls: 12, longestReturn: 30_000 });
  console.log(`\non_cut = "${onCut}"\n`);
  console.log(
    '| fault | responses | errors | slowest call | median call | requests to it | calls that reached it | back after | |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const result of results) report(result, onCut);
}
if (values.check && isMissed) process.exitCode = 1;

/** Faults that mostly wait run concurrently. The others run one at a time, so that they do not slow each other down. */
async function runAll(options: WallOptions): Promise<Result[]> {
  const waiting = chosen.filter(isWaiting).map((fault) => runFault(fault, options));
  const results: Result[] = [];
  for (const fault of chosen.filter((other) => !isWaiting(other))) results.push(await runFault(fault, options));
  results.push(...(await Promise.all(waiting)));
  return results.toSorted((left, right) => chosen.indexOf(left.fault) - chosen.indexOf(right.fault));
}

function report(result: Result, onCut: OnCut): void {
  const { fault, replies, returned } = result;
  const wrong = [...findWrong(result, onCut), ...findSlow(result, limits)];
  isMissed ||= wrong.length > 0;
  const completed = replies.filter(({ isComplete }) => isComplete).length;
  const times = replies.map(({ took }) => took).toSorted((left, right) => left - right);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const reached = fault.isKept ? 'stays in use' : replies.filter(({ requests }) => requests.first > 0).length;
  const cells = [
    fault.name,
    completed,
    replies.length - completed,
    seconds(times.at(-1) ?? 0),
    `${Math.round(median)} ms`,
    countRequests(replies),
    reached,
    returned === undefined ? '–' : seconds(returned),
    wrong.length === 0 ? 'pass' : `FAIL: ${wrong.join('; ')}`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function isWaiting({ waits }: Fault): boolean {
  return waits !== undefined;
}
