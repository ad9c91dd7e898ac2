// CPU time of several readers of the same bytes. The readers alternate, so that other load on the machine affects all of
// them, and the median of the rounds is reported. Every run checks that the reader returned the complete transcript.

import type { Contender } from './contender.ts';

export interface Task {
  readonly chunks: readonly Uint8Array[];
  readonly events: number;
  readonly transcript: string;
}

export interface Measured {
  readonly contender: Contender;
  /** Events of the stream per second of user and system time, garbage collection included. */
  readonly eventsPerSecond: number;
}

const warmUps = 8;
/** Long compared with the clock's resolution and with pauses for garbage collection. */
const sampleMicroseconds = 100_000;

export async function measure(contenders: readonly Contender[], task: Task, rounds: number): Promise<Measured[]> {
  const entries = [];
  for (const contender of contenders) {
    const once = (await cpuOf(contender, task, warmUps)) / warmUps;
    entries.push({ contender, runs: Math.ceil(sampleMicroseconds / once), rates: [] as number[] });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { contender, runs, rates } of entries) {
      rates.push((runs * task.events * 1e6) / (await cpuOf(contender, task, runs)));
    }
  }
  return entries.map(({ contender, rates }) => ({ contender, eventsPerSecond: median(rates) }));
}

async function cpuOf(contender: Contender, { chunks, transcript }: Task, runs: number): Promise<number> {
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) {
    const seen = await contender.read(chunks);
    if (seen !== transcript) throw new Error(`${contender.name} did not return the complete response`);
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
