// One long conversation with one agent: what a turn costs, what the heap holds and how large the context is, as it goes.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAgent, type Tool } from '../../src/index.ts';
import { createMemoryModel } from './memory-model.ts';

export interface ConversationRow {
  readonly turns: string;
  /** Milliseconds for a turn. */
  readonly cpu: number;
  /** Megabytes after a collection. */
  readonly heap: number;
  /** Bytes. */
  readonly context: number;
}

export interface Conversation {
  readonly rows: readonly ConversationRow[];
  readonly largest: number;
  readonly gate: number;
}

const hundreds = 10;
const contextWindow = 60_000;

export async function converse(tool: Tool): Promise<Conversation> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const model = createMemoryModel(50, true);
  const agent = createAgent({ provider: model, tools: [tool], contextWindow });
  const rows: ConversationRow[] = [];
  for (let hundred = 0; hundred < hundreds; hundred += 1) {
    const before = process.cpuUsage();
    for (let turn = 0; turn < 100; turn += 1) await agent.run(`Question ${turn}: ${'what '.repeat(80)}`).result();
    const { user, system } = process.cpuUsage(before);
    collect();
    rows.push({
      turns: `${hundred * 100 + 1}–${hundred * 100 + 100}`,
      cpu: (user + system) / 1000 / 100,
      heap: process.memoryUsage().heapUsed / 1e6,
      context: model.takeLargest(),
    });
  }
  const gate = 0.9 * contextWindow * 4;
  return { rows, largest: Math.max(...rows.map(({ context }) => context)), gate };
}
