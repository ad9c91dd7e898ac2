// CPU time, user and system, all threads, so that what others do on the machine counts for little. Everyone who is
// compared runs in turns in one process, warm, and the median of the rounds counts.

/**
 * Garbage is collected every 30 ms or so: a sample that is no longer than that has one collection in it or none, and the
 * median is one of the two. This long it has several.
 */
const leastMs = 100;

/** Before this the compiler is still at work on the larger of those who are compared, and both times are of that. */
const warmMs = 3_000;

export type Task = () => unknown;

/** The time of one task over that of another: the median of the rounds, for what else the machine does touches both. */
export function ratioOf(times: readonly number[], others: readonly number[]): number {
  return median(times.map((ms, round) => ms / others[round]!));
}

/** Milliseconds of CPU time for one run of each task, in each round, which is one turn of all. */
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
    // Awaiting what is there already would cost a short task more than its work.
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Gives how often the task has to run to be measured. */
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
