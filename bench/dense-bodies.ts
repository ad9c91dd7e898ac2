// Bodies that are small in bytes and large in work: the longest turn of the event loop, memory, and a polite key.
// Options: `--door chat`, `--size 31` (MB) and `--values 100000` (each body is as large as both allow), `--heap 512` (MB),
// `--requests 1000` (hostile bodies, eight at a time), `--polite 200` (requests of the polite key), `--delay 100` (ms of the
// upstream). `--check` exits with 1 if a bar is missed.

import { parseArgs } from 'node:util';

import { startDenseGateway, type DenseGateway } from './dense/gateway.ts';
import { doors, toBody, toLargestBody, type Door, type Shape } from './dense/shapes.ts';

const { values } = parseArgs({
  options: {
    door: { type: 'string' },
    size: { type: 'string', default: '31' },
    values: { type: 'string', default: '100000' },
    heap: { type: 'string', default: '512' },
    requests: { type: 'string', default: '1000' },
    polite: { type: 'string', default: '200' },
    delay: { type: 'string', default: '100' },
    check: { type: 'boolean', default: false },
  },
});

const bars = { turn: 100, polite: 2 };
const limits = { bytes: Number(values.size) * 1024 * 1024, values: Number(values.values) };
const atOnce = 8;
const chosen = doors.filter(({ name }) => values.door === undefined || name === values.door);
const chat = doors[0] as Door;
const small: Shape = {
  name: '',
  piece: '',
  before: '{"model":"m","messages":[{"role":"user","content":"go',
  after: '"}]}',
};
const smallBody = toBody(small, 0);
const greedy = 'greedy';
const polite = 'polite';
let isMissed = false;

const gateway = await startDenseGateway({
  heap: Number(values.heap),
  delay: Number(values.delay),
  keys: [greedy, polite],
});
for (let round = 0; round < 20; round++) await gateway.send(chat.path, smallBody);
await gateway.worstTurn();
await measureTurns(gateway);
await measureMemory(gateway, Number(values.requests));
await measurePolite(gateway, Number(values.polite));
gateway.close();
if (values.check && isMissed) process.exitCode = 1;

async function measureTurns({ send, worstTurn }: DenseGateway): Promise<void> {
  await send(chat.path, smallBody);
  print(['chat', 'a small request', '', ...figures(await worstTurn())]);
  let worst = { time: 0, name: '' };
  let count = 0;
  for (const door of chosen) {
    for (const shape of door.shapes) {
      const body = toLargestBody(shape, limits);
      const status = await send(door.path, body);
      checkAlive(`${door.name}, ${shape.name}`);
      const turn = await worstTurn();
      count++;
      print([door.name, `${shape.name}, ${(body.length / 1e6).toFixed(1)} MB`, status, ...figures(turn)]);
      if (turn.worst > worst.time) worst = { time: turn.worst, name: `${door.name}, ${shape.name}` };
    }
  }
  const line = `${count} bodies; the longest turn took ${worst.time.toFixed(0)} ms of CPU time: ${worst.name}`;
  verdict(line, worst.time <= bars.turn);
}

/** Bodies of all shapes, some just below the limits and some far above. */
async function measureMemory({ send, worstTurn }: DenseGateway, count: number): Promise<void> {
  const shapes = chosen.flatMap((door) => door.shapes.map((shape) => ({ door, shape })));
  const statuses = new Map<string, number>();
  let next = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const { door, shape } = shapes[at % shapes.length] as (typeof shapes)[number];
      const body = at % 3 === 0 ? toBody(shape, limits.bytes / 4) : toLargestBody(shape, limits);
      const status = await send(door.path, body, at % 2 === 0 ? greedy : polite);
      checkAlive(`${door.name}, ${shape.name}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (at % 50 === 0) most = Math.max(most, (await worstTurn()).rss);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const listed = [...statuses]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([status, times]) => `${times} × ${status}`);
  const line = `${count} hostile bodies, ${atOnce} at a time, a heap of ${values.heap} MB: alive, at most ${megabytes(most)} in all`;
  verdict(`${line}; ${listed.join(', ')}`, true);
}

/** The time of a small request of one key, alone and beside another key that sends large bodies all the time. */
async function measurePolite({ send }: DenseGateway, count: number): Promise<void> {
  const alone = await timesOf(send, count);
  const shapes = ['messages', 'parts', 'one long text', 'unknown member: keys of one object'];
  const bodies = chat.shapes.filter(({ name }) => shapes.includes(name)).map((shape) => toLargestBody(shape, limits));
  const over = new AbortController();
  const flood = async (start: number): Promise<void> => {
    for (let at = start; !over.signal.aborted; at++)
      await send(chat.path, bodies[at % bodies.length] as Buffer, greedy);
  };
  const flooding = Array.from({ length: atOnce }, (_, index) => flood(index));
  const beside = await timesOf(send, count);
  over.abort();
  await Promise.all(flooding);
  const ratio = percentile(beside, 0.99) / percentile(alone, 0.99);
  const shown = [alone, beside].map(
    (times) => `p50 ${percentile(times, 0.5).toFixed(0)}, p99 ${percentile(times, 0.99).toFixed(0)} ms`,
  );
  verdict(
    `a polite key, alone: ${shown[0]}; beside a greedy one: ${shown[1]}; p99 ${ratio.toFixed(1)} ×`,
    ratio <= bars.polite,
  );
}

async function timesOf(send: DenseGateway['send'], count: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    const begun = performance.now();
    const status = await send(chat.path, smallBody, polite);
    times.push(status === '200' ? performance.now() - begun : Number.POSITIVE_INFINITY);
  }
  return times;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

function figures({ worst, rss }: { readonly worst: number; readonly rss: number }): string[] {
  return [`${worst.toFixed(0).padStart(5)} ms`, megabytes(rss).padStart(8)];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function print([door = '', shape = '', status = '', ...rest]: readonly string[]): void {
  process.stdout.write(`${door.padEnd(22)}${shape.padEnd(52)}${status.padEnd(12)}${rest.join(' ')}\n`);
}

function verdict(line: string, isMet: boolean): void {
  process.stdout.write(`\n${line}${isMet ? '' : ' (bar missed)'}\n`);
  if (!isMet) isMissed = true;
}

function checkAlive(name: string): void {
  if (!gateway.isOver()) return;
  process.stdout.write(`${name}: the gateway ended\n`);
  process.exit(1);
}
