// CPU time of an agent's turn, compared with a bare loop over the same provider (bar: 1 ms more), and CPU time and memory
// over a conversation of 1,000 turns, which must not grow. The provider responds from memory, so that only the loops are
// measured. `--check` exits with 1 if a bar is missed, `--rounds=N` sets the number of rounds.

import { parseArgs } from 'node:util';
import { createAgent, defineTool, text, type Message, type Tool, type Usage } from '../src/index.ts';
import { MessageAssembler } from '../src/core/assembler.ts';
import { toolCallsOf } from '../src/core/message.ts';
import { converse } from './agent-loop/conversation.ts';
import { createMemoryModel } from './agent-loop/memory-model.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, rounds: { type: 'string', default: '15' } },
});

const turns = 200;
const words = 200;
const barMs = 1;
/** Maximum ratio of later turns to earlier turns. It has a margin for other load on the machine. */
const barGrowth = 1.5;
const never = new AbortController().signal;
const failures: string[] = [];

const look: Tool = defineTool({ name: 'look', description: 'Looks', effect: 'pure', run: () => 'seen' });
const model = createMemoryModel(words);

const [bare = Number.NaN, ours = Number.NaN] = await compare(
  () => runBare(),
  () => runAgent(),
);
console.log(`A turn of two responses, one tool call and ${2 * words} words; ${turns} turns per round, median:\n`);
console.log(`  bare loop     ${bare.toFixed(3)} ms CPU`);
console.log(`  agent         ${ours.toFixed(3)} ms CPU`);
judge(ours - bare <= barMs, `the agent adds ${(ours - bare).toFixed(3)} ms; bar ${barMs} ms`);

const { rows, largest, limit } = await converse(look);
console.log('\nA conversation of 1,000 turns:\n');
console.log('  turns         ms CPU per turn   heap MB   largest context KB');
for (const row of rows) {
  const columns = [row.turns.padEnd(12), row.cpu.toFixed(3).padStart(17), row.heap.toFixed(1).padStart(9)];
  console.log(`  ${columns.join('')}${(row.context / 1000).toFixed(1).padStart(21)}`);
}
// The first rows are left out: the cost of a turn grows until the context reaches its limit.
const full = rows.slice(2);
const half = Math.floor(full.length / 2);
const growth = mean(full.slice(half).map(({ cpu }) => cpu)) / mean(full.slice(0, half).map(({ cpu }) => cpu));
const heapGrowth = (full.at(-1)?.heap ?? 0) - (full[0]?.heap ?? 0);
judge(
  growth <= barGrowth,
  `turns 601–1000 take ${growth.toFixed(2)} × the CPU time of turns 201–600; bar ${barGrowth} ×`,
);
judge(heapGrowth <= 2, `the heap grows by ${heapGrowth.toFixed(1)} MB from turn 300 to turn 1,000; bar 2 MB`);
judge(
  largest <= limit,
  `the largest context has ${(largest / 1000).toFixed(1)} KB; limit ${(limit / 1000).toFixed(1)} KB`,
);
if (values.check && failures.length > 0) process.exitCode = 1;

/** The loops alternate, so that other load on the machine affects both. Returns milliseconds of CPU time per turn. */
async function compare(...loops: (() => Promise<void>)[]): Promise<number[]> {
  const samples = loops.map((): number[] => []);
  for (const loop of loops) for (let run = 0; run < 3; run += 1) await loop();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [index, loop] of loops.entries()) {
      const before = process.cpuUsage();
      await loop();
      const { user, system } = process.cpuUsage(before);
      samples[index]?.push((user + system) / 1000 / turns);
    }
  }
  return samples.map(median);
}

/** The minimal loop: it assembles messages and returns tool results, without limits, retries, hooks or events. */
async function runBare(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const messages: Message[] = [{ role: 'user', content: [text('Go')] }];
    for (;;) {
      const assembler = new MessageAssembler();
      const request = { model: 'm', messages, tools: [look.definition] };
      let usage: Usage | undefined;
      for await (const event of await model.open(request, never)) {
        assembler.push(event);
        if (event.type === 'message-end') usage = event.usage;
      }
      const reply = assembler.message();
      const calls = toolCallsOf(reply.content);
      if (calls.length === 0 || usage === undefined) break;
      const results = calls.map(({ id }) => ({ type: 'tool-result' as const, callId: id, content: [text('seen')] }));
      messages.push({ role: 'assistant', content: reply.content }, { role: 'user', content: results });
    }
  }
}

async function runAgent(): Promise<void> {
  const agent = createAgent({ provider: model, tools: [look], contextWindow: 200_000 });
  for (let turn = 0; turn < turns; turn += 1) {
    agent.reset();
    for await (const event of agent.run('Go')) {
      if (event.type === 'turn-end' && event.iterations !== 1) throw new Error('the tool did not run');
    }
  }
}

function judge(isMet: boolean, result: string): void {
  console.log(`\n${isMet ? 'PASS' : 'FAIL'}: ${result}`);
  if (!isMet) failures.push(result);
}

function median(samples: readonly number[]): number {
  return samples.toSorted((left, right) => left - right)[Math.floor(samples.length / 2)] ?? Number.NaN;
}

function mean(samples: readonly number[]): number {
  return samples.reduce((sum, each) => sum + each, 0) / samples.length;
}
