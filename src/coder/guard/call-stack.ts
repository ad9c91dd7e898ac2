// Tracks the shell functions being called, to detect recursion. A function that starts itself in parallel is a fork bomb;
// other recursion is followed for a few levels.

interface CallFrame {
  readonly name: string;
  /** Whether the call runs in parallel to its caller. */
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

  /** Runs something in parallel to what follows: in the background, or in a pipe. */
  inParallel<Result>(run: () => Result): Result {
    const before = this.#isParallel;
    this.#isParallel = true;
    const result = run();
    this.#isParallel = before;
    return result;
  }

  /** Classifies a call of the function, and records that it was called. */
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
