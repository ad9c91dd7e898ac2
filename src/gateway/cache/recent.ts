// Values by key, made when first asked for. Keys come from callers, who may make up any number of them, so the one that
// was not asked for longest is forgotten.

const most = 1000;

export class Recent<Key, Value> {
  readonly #known = new Map<Key, Value>();

  get(key: Key): Value | undefined {
    const value = this.#known.get(key);
    if (value !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, value);
    }
    return value;
  }

  /** What is known under the key, else what is made now. */
  ensure(key: Key, make: (key: Key) => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= most && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, made);
    return made;
  }
}
