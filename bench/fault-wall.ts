// Failover: 30 faults of the first of two targets, over real HTTP with the default settings, by default and with `continue`.
// Prints for each what a client received, how long it waited, how often the target was called, and how soon it was left and
// returned to. `--check` exits with 1 when a fault is not survived. `--only TEXT` runs the faults whose names have the text.

import { parseArgs } from 'node:util';
import type { OnCut } from '../src/core/call.ts';
import { faults, type Fault } from './fault-wall/faults.ts';
import { askedInAll, findSlow, findWrong, seconds } from './fault-wall/verdict.ts';
import { runFault, type Result, type WallOptions } from './fault-wall/wall.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
/** The defaults of a chain. */
const limits = { connect: 10_000, firstToken: 20_000, idle: 30_000 };
const chosen = faults.filter(({ name }) => name.includes(values.only));
let isMissed = false;

for (const onCut of ['fail', 'continue'] as const) {
  const results = await runAll({ onCut, limits, calls: 12, longestReturn: 30_000 });
  console.log(`\non_cut = "${onCut}"\n`);
  console.log(
    '| fault | answers | errors | slowest call | others, median | requests to it | calls that met it | back after | |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const result of results) report(result, onCut);
}
if (values.check && isMissed) process.exitCode = 1;

/** Faults that mostly wait run in parallel, the others sequentially, because they would affect each other. */
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
  const whole = replies.filter(({ isWhole }) => isWhole).length;
  const times = replies.map(({ took }) => took).toSorted((left, right) => left - right);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const left = fault.isKept ? 'kept' : replies.filter(({ asked }) => asked.first > 0).length;
  const cells = [
    fault.name,
    whole,
    replies.length - whole,
    seconds(times.at(-1) ?? 0),
    `${Math.round(median)} ms`,
    askedInAll(replies),
    left,
    returned === undefined ? '–' : seconds(returned),
    wrong.length === 0 ? 'pass' : `FAIL: ${wrong.join('; ')}`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function isWaiting({ waits }: Fault): boolean {
  return waits !== undefined;
}
