// A conversation of 1,000 turns with one agent. For every hundred turns: CPU time per turn, heap size, largest context.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAgent, type Tool } from '../../src/index.ts';
import { createMemoryModel } from './memory-model.ts';

export interface ConversationRow {
  readonly turns: string;
  /** Milliseconds per turn. */
  readonly cpu: number;
  /** Megabytes in use after garbage collection. */
  readonly heap: number;
  /** The largest context, in bytes. */
  readonly context: number;
}

export interface Conversation {
  readonly rows: readonly ConversationRow[];
  /** The largest context of all turns, in bytes. */
  readonly largest: number;
  /** The size at which the agent trims its context, in bytes. */
  readonly limit: number;
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
  const limit = 0.9 * contextWindow * 4;
  return { rows, largest: Math.max(...rows.map(({ context }) => context)), limit };
}
