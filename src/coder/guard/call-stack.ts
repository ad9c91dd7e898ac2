// Which functions of the command are being called, to see recursion: a function that starts itself beside itself is a
// fork bomb, and any other is followed a few steps and then left.

interface CallFrame {
  readonly name: string;
  /** Whether the call runs beside its caller. */
  readonly isParallel: boolean;
}

const mostRecursion = 4;

export class CallStack {
  readonly #frames: CallFrame[];
  readonly #called = new Set<string>();
  #isParallel = false;

  constructor(parent?: CallStack) {
    this.#frames = parent === undefined ? [] : [...parent.#frames];
  }

  /** Runs something beside what follows: in the background, or in a pipe. */
  beside<Result>(run: () => Result): Result {
    const before = this.#isParallel;
    this.#isParallel = true;
    const result = run();
    this.#isParallel = before;
    return result;
  }

  /** What a call of the function would be. Takes note that it was called. */
  judge(name: string): 'new' | 'fork-bomb' | 'too-deep' {
    this.#called.add(name);
    const before = this.#frames.filter((frame) => frame.name === name).length;
    if (before > 0 && (this.#isParallel || this.#frames.some(({ isParallel }) => isParallel))) return 'fork-bomb';
    return before < mostRecursion ? 'new' : 'too-deep';
  }

  wasCalled(name: string): boolean {
    return this.#called.has(name);
  }

  enter<Result>(name: string, run: () => Result): Result {
    const isParallel = this.#isParallel;
    this.#frames.push({ name, isParallel });
    this.#isParallel = false;
    const result = run();
    this.#frames.pop();
    this.#isParallel = isParallel;
    return result;
  }
}
