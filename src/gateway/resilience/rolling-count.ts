// Counts recent events in time slots, with constant memory however many there are.

export class RollingCount {
  readonly #slots: number[];
  readonly #width: number;
  #latest = 0;

  /** `width`: the length of a slot in milliseconds. The current slot is always a partial one. */
  constructor(slots: number, width: number) {
    this.#slots = Array.from({ length: slots }, () => 0);
    this.#width = width;
  }

  add(now: number): void {
    this.#advance(now);
    this.#slots[this.#latest % this.#slots.length]! += 1;
  }

  /** The sum of the last `slots` slots, including the current one. */
  sum(now: number, slots = this.#slots.length): number {
    this.#advance(now);
    let sum = 0;
    for (let back = 0; back < slots; back++) sum += this.#slots[this.#place(back)] ?? 0;
    return sum;
  }

  clear(): void {
    this.#slots.fill(0);
  }

  #place(back: number): number {
    const { length } = this.#slots;
    return (((this.#latest - back) % length) + length) % length;
  }

  #advance(now: number): void {
    const current = Math.floor(now / this.#width);
    if (current - this.#latest >= this.#slots.length) {
      this.clear();
      this.#latest = current;
    }
    while (this.#latest < current) {
      this.#latest++;
      this.#slots[this.#place(0)] = 0;
    }
  }
}
