// Runs clients of others against the gateway, in front of each upstream, and prints the table of the results. Every cell is
// a test. A case that a client cannot express is a cell with the reason.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { pixel, startGatewayStack, upstreams, type GatewayStack, type Upstream } from '../gateway-stack.ts';
import { readArrived } from './arrived.ts';
import { clientCases, reasoningUpstreams, tableScript, type ClientCase } from './cases.ts';
import { ClientProgram, type ProgramOptions } from './program.ts';

export interface ClientTableOptions {
  /** The names of the clients in one program. */
  readonly clients: readonly string[];
  readonly start: (url: string) => ProgramOptions;
  /** By name. All of them by default. */
  readonly upstreams?: readonly string[];
}

interface Tally {
  readonly client: string;
  readonly upstream: string;
  passed: number;
  readonly unsupported: Set<string>;
  readonly failed: string[];
}

/** So that every stream has a report of its cost. */
const models = [...upstreams, ...reasoningUpstreams].map(({ model }) => model);
const prices = Object.fromEntries(models.map((model) => [model, { input: 1, output: 2 }]));

export function startClientStack(context: TestContext): Promise<GatewayStack> {
  const starting = startGatewayStack({
    simulate: { script: tableScript },
    upstreams: [
      ...upstreams,
      ...reasoningUpstreams.filter(({ name }) => !upstreams.some((each) => each.name === name)),
    ],
    server: { keepAlive: 10 },
    // The case of errors would open a circuit for the cells that follow it.
    gateway: { retry: false, breaker: false, prices },
    dropFields,
  });
  context.after(async () => (await starting).close());
  return starting;
}

/** What guidance (log probabilities) and smolagents (stop sequences) always send, where they cannot be had. */
function dropFields({ name, path }: Upstream): readonly string[] {
  if (name === 'openai') return [];
  const logprobs = ['logprobs', 'top_logprobs'];
  return path.endsWith('/responses') ? ['stop', ...logprobs] : logprobs;
}

/** Asks each client every case at every upstream, one after the other. */
export async function runClients(
  context: TestContext,
  stack: GatewayStack,
  { clients, start, upstreams: names }: ClientTableOptions,
): Promise<void> {
  const behind = upstreams.filter(({ name }) => names?.includes(name) ?? true);
  const program = new ClientProgram(start(stack.url));
  context.after(() => program.close());
  const tallies: Tally[] = [];
  for (const client of clients) {
    for (const upstream of behind) {
      const tally = { client, upstream: upstream.name, passed: 0, unsupported: new Set<string>(), failed: [] };
      tallies.push(tally);
      for (const tested of clientCases) await runCell(context, { program, stack, upstream, tested, tally });
    }
  }
  printTable(context, behind, tallies);
}

interface CellRun {
  readonly program: ClientProgram;
  readonly stack: GatewayStack;
  readonly upstream: Upstream;
  readonly tested: ClientCase;
  readonly tally: Tally;
}

async function runCell(context: TestContext, run: CellRun): Promise<void> {
  const { tally, tested } = run;
  const name = `${tally.client}, in front of ${tally.upstream}: ${tested.name}`;
  await context.test(name, { timeout: 120_000 }, async (cell) => {
    const reason = await checkCell(run).catch((error: unknown) => {
      tally.failed.push(tested.name);
      throw error;
    });
    if (reason === undefined) tally.passed += 1;
    else {
      tally.unsupported.add(`${tested.name}: ${reason}`);
      cell.diagnostic(`cannot be expressed: ${reason}`);
    }
  });
}

/** Returns the reason if the client cannot express the case. */
async function checkCell({ program, stack, upstream, tested, tally }: CellRun): Promise<string | undefined> {
  const { requests } = stack.simulator;
  const last = requests.at(-1)?.number ?? 0;
  const target = tested.name === 'reasoning' ? withReasoning(upstream) : upstream;
  const prompt = typeof tested.prompt === 'string' ? tested.prompt : tested.prompt(upstream);
  const question = { client: tally.client, case: tested.name, model: target.model, prompt, image: pixel };
  const answer = await program.ask(question);
  if ('unsupported' in answer) return answer.unsupported;
  const arrived = () => requests.filter(({ number }) => number > last).map(readArrived);
  const bodies = () => arrived().map(({ body }) => body);
  if ('error' in answer) assert.fail(`${answer.error}\narrived:\n${bodies().join('\n')}`);
  await tested.check({ upstream: target, seen: answer.seen, arrived });
  return undefined;
}

function withReasoning(upstream: Upstream): Upstream {
  return reasoningUpstreams.find(({ name, path }) => name === upstream.name || path === upstream.path) ?? upstream;
}

function printTable(context: TestContext, behind: readonly Upstream[], tallies: readonly Tally[]): void {
  const names = [...new Set(tallies.map(({ client }) => client))];
  const width = Math.max(...names.map(({ length }) => length));
  context.diagnostic([''.padEnd(width), ...behind.map(({ name }) => name)].join(' | '));
  for (const client of names) {
    const row = tallies.filter((tally) => tally.client === client);
    const cells = row.map((tally) => toCell(tally).padEnd(tally.upstream.length));
    context.diagnostic([client.padEnd(width), ...cells].join(' | '));
    const reasons = new Set(row.flatMap(({ unsupported }) => [...unsupported]));
    for (const reason of reasons) context.diagnostic(`  cannot be expressed: ${reason}`);
  }
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const unsupported = tallies.reduce((sum, tally) => sum + tally.unsupported.size, 0);
  const failed = tallies.reduce((sum, tally) => sum + tally.failed.length, 0);
  context.diagnostic(`${passed} cells passed, ${failed} failed, ${unsupported} cannot be expressed`);
}

function toCell({ passed, failed, unsupported }: Tally): string {
  return `${passed}/${passed + failed.length + unsupported.size}`;
}
