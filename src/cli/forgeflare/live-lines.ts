// Splits the live output of tools into complete lines and limits their number, so that long output does not bury the
// conversation.

interface Running {
  readonly name: string;
  rest: string;
  lines: number;
}

const longestLine = 2_000;

export class LiveLines {
  readonly #running = new Map<string, Running>();
  readonly #most: number;

  /** `most`: how many lines of one call are shown. */
  constructor(most: number) {
    this.#most = most;
  }

  begin(id: string, name: string): void {
    this.#running.set(id, { name, rest: '', lines: 0 });
  }

  nameOf(id: string): string {
    return this.#running.get(id)?.name ?? '';
  }

  push(id: string, chunk: string): string[] {
    const running = this.#running.get(id);
    if (running === undefined) return [];
    const lines = (running.rest + chunk).split('\n');
    running.rest = (lines.pop() ?? '').slice(0, longestLine);
    return this.#bound(running, lines);
  }

  /** The last incomplete line, and the number of omitted lines. */
  end(id: string): string[] {
    const running = this.#running.get(id);
    this.#running.delete(id);
    if (running === undefined) return [];
    const lines = this.#bound(running, running.rest === '' ? [] : [running.rest]);
    const left = running.lines - this.#most;
    return left > 0 ? [...lines, `… ${left} more ${left === 1 ? 'line' : 'lines'}`] : lines;
  }

  #bound(running: Running, lines: readonly string[]): string[] {
    const shown = lines.slice(0, Math.max(0, this.#most - running.lines)).map((line) => line.slice(0, longestLine));
    running.lines += lines.length;
    return shown;
  }
}
