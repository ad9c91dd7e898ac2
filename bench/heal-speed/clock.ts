// Measures CPU time, user and system, of all threads, so that other load on the machine has little influence. All
// candidates run in turns in one process, after a warm-up, and the median of the rounds counts.

/**
 * Garbage is collected about every 30 ms. A shorter sample contains one collection or none, which makes the median
 * unstable. A sample of this length contains several.
 */
const leastMs = 100;

/** Before this, the compiler is still optimising the larger candidates. */
const warmMs = 3_000;

export type Task = () => unknown;

/** The time of one task divided by that of another: the median of the rounds, because other load affects both. */
export function ratioOf(times: readonly number[], others: readonly number[]): number {
  return median(times.map((ms, round) => ms / others[round]!));
}

/** Milliseconds of CPU time for one run of each task, by round. */
export async function timeEachRound(tasks: readonly Task[], rounds: number): Promise<number[][]> {
  const repeats: number[] = [];
  for (const task of tasks) repeats.push(await warmUp(task));
  const times = tasks.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      const count = repeats[index]!;
      times[index]!.push((await cpuMs(task, count)) / count);
    }
  }
  return times;
}

export async function cpuMs(task: Task, count = 1): Promise<number> {
  const before = process.cpuUsage();
  for (let run = 0; run < count; run += 1) {
    const result = task();
    // Awaiting a value that is not a promise would take longer than a short task.
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Returns how often the task has to run per sample. */
async function warmUp(task: Task): Promise<number> {
  let count = 1;
  let spent = 0;
  for (;;) {
    const ms = await cpuMs(task, count);
    spent += ms;
    if (ms >= leastMs && spent >= warmMs) return count;
    if (ms < leastMs) count *= 2;
  }
}
