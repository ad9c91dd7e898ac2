// Event-loop delay and response time of a gateway with 200 hostile schemas, compared with ordinary ones.
// Each schema goes to every entry point of a real server process: `/v1/heal`, responses and tool calls, streamed or
// not, in both wires. Prints the worst figures of each kind. --check exits with 1 if a bar is missed. A word selects
// the kinds whose name contains it, --entry TEXT selects entry points, --skip TEXT leaves some out, --all prints every
// request.

import { parseArgs } from 'node:util';
import type { JsonSchema } from '../src/heal/index.ts';
import { hostileSchemas, type HostileSchema } from '../test/support/hostile-schemas.ts';
import { entryPoints, type EntryPoint } from './hostile-schemas/entry-points.ts';
import { MeasuredGateway, type Figures, type Outcome } from './hostile-schemas/measured-gateway.ts';

/**
 * In milliseconds, for requests up to `longestBody`. `busy` is the event-loop delay without other load on the machine.
 */
const bars = { busy: 100, response: 1000 };
const longestBody = 1_000_000;

const { values: flags, positionals } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    entry: { type: 'string', default: '' },
    skip: { type: 'string' },
  },
  allowPositionals: true,
});

interface Measured extends Figures {
  readonly schema: HostileSchema;
  readonly entry: EntryPoint;
  readonly outcome: string;
}

const ordinaryKind = 'ordinary (baseline)';
const chosenEntries = entryPoints.filter(
  ({ name }) => name.includes(flags.entry) && (flags.skip === undefined || !name.includes(flags.skip)),
);
const isChosen = (kind: string): boolean => positionals.length === 0 || positionals.some((word) => kind.includes(word));

const gateway = new MeasuredGateway();
try {
  await gateway.start();
  const ordinary = ordinarySchemas();
  // The first requests pay for loading and compiling the server's own code.
  for (let turn = 0; turn < 3; turn++) await measureAll(ordinary);
  const baseline = await measureAll(ordinary);
  const results = await measureAll(hostileSchemas.filter(({ kind }) => isChosen(kind)));
  report(baseline, results);
} finally {
  await gateway.close();
}

async function measureAll(schemas: readonly HostileSchema[]): Promise<Measured[]> {
  const results: Measured[] = [];
  for (const schema of schemas) {
    for (const entry of chosenEntries) {
      const measured = await measureSteadily(schema, entry);
      if (measured !== undefined) results.push(measured);
    }
  }
  return results;
}

/** A bar counts as missed if the median of three runs misses it, because a single run may be disturbed. */
async function measureSteadily(schema: HostileSchema, entry: EntryPoint): Promise<Measured | undefined> {
  const body = JSON.stringify(entry.body(schema.schema, schema.text));
  if (body.length > longestBody) return undefined;
  const runs = [await measureOnce(schema, entry, body)];
  if (runs.some(isMissed)) runs.push(await measureOnce(schema, entry, body), await measureOnce(schema, entry, body));
  const [first] = runs as [Measured];
  return {
    ...first,
    delay: median(runs, 'delay'),
    busy: median(runs, 'busy'),
    response: median(runs, 'response'),
    bystander: median(runs, 'bystander'),
  };
}

async function measureOnce(schema: HostileSchema, entry: EntryPoint, body: string): Promise<Measured> {
  if (entry.reply !== undefined) gateway.reply = entry.reply(schema.text);
  const { delay, busy, bystander, response, ...outcome } = await gateway.measure(entry.path, body);
  const measured = { schema, entry, delay, busy, bystander, response, outcome: toOutcome(outcome) };
  if (flags.all)
    console.log([schema.name, entry.name, round(busy), round(delay), round(response), measured.outcome].join(' | '));
  return measured;
}

function toOutcome({ status, body }: Outcome): string {
  if (status !== 200) return `${status} ${/"message":"(.{0,80})/.exec(body)?.[1] ?? ''}`;
  return /^data: \{"error"|^event: error/m.test(body) ? 'error event' : 'success';
}

function isMissed({ busy, response }: Figures): boolean {
  return busy > bars.busy || response > bars.response;
}

function median(runs: readonly Figures[], figure: keyof Figures): number {
  const values = runs.map((run) => run[figure]).toSorted((left, right) => left - right);
  return values[Math.floor(values.length / 2)] ?? 0;
}

function report(baseline: readonly Measured[], results: readonly Measured[]): void {
  const ordinary = worstOf(baseline);
  console.log(
    '| kind | requests | successful | longest turn, CPU | × ordinary | event-loop delay | bystander | response | |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const [kind, ofKind] of Map.groupBy([...baseline, ...results], ({ schema }) => schema.kind)) {
    const worst = worstOf(ofKind);
    const successful = ofKind.filter(({ outcome }) => outcome === 'success').length;
    const ratio = (worst.busy / ordinary.busy).toFixed(1);
    const times = [worst.delay, worst.bystander, worst.response].map((ms) => `${round(ms)} ms`);
    const cells = [kind, ofKind.length, successful, `${round(worst.busy)} ms`, ratio, ...times];
    console.log(`| ${cells.join(' | ')} | ${isMissed(worst) ? 'MISSED' : ''} |`);
  }
  const worst = worstOf(results);
  const figures = `longest turn ${round(worst.busy)} ms of CPU (bar ${bars.busy}), event-loop delay ${round(worst.delay)} ms, response ${round(worst.response)} ms (bar ${bars.response})`;
  console.log(`worst of ${results.length} requests: ${figures}`);
  const missed = results.filter(isMissed);
  for (const { schema, entry, busy, response, outcome } of missed) {
    console.log(
      `MISSED ${schema.name}, ${entry.name}: turn ${round(busy)} ms, response ${round(response)} ms, ${outcome}`,
    );
  }
  if (flags.check && missed.length > 0) process.exitCode = 1;
}

function worstOf(results: readonly Figures[]): Figures {
  const worst = (figure: keyof Figures): number => Math.max(0, ...results.map((result) => result[figure]));
  return { delay: worst('delay'), busy: worst('busy'), bystander: worst('bystander'), response: worst('response') };
}

function round(ms: number): string {
  return ms.toFixed(0);
}

/** What an ordinary client sends, with a short text and with one as long as the hostile ones. */
function ordinarySchemas(): HostileSchema[] {
  const item: JsonSchema = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['id', 'name'],
  };
  const one = `{"id": "7", name: 'Somebody with a name', "tags": ["first", "second"]},`;
  return [5, 1000, 5000].map((count) => ({
    kind: ordinaryKind,
    name: `${count} ordinary objects`,
    schema: { type: 'array', items: item },
    text: `[${one.repeat(count)}]`,
  }));
}
