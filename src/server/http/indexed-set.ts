// A set of active members with O(1) removal. Each member stores its own index.
// A plain `Set` is not used because of V8's garbage collector: a set that has filled up with removed members gets a new
// table, and the old table keeps its members alive until the next full collection.

export interface Indexed {
  /** Maintained by the set that contains the member. */
  index: number;
}

export class IndexedSet<Member extends Indexed> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    member.index = this.#members.length;
    this.#members.push(member);
  }

  /** Moves the last member to the free index. */
  delete(member: Member): void {
    const { index } = member;
    if (this.#members[index] !== member) return;
    const last = this.#members.pop() as Member;
    if (last !== member) {
      this.#members[index] = last;
      last.index = index;
    }
  }

  /** Iterates over a copy, so that members may be removed meanwhile. */
  [Symbol.iterator](): IterableIterator<Member> {
    return this.#members.slice().values();
  }
}
