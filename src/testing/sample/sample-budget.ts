// What one simulated answer may cost: values, characters, and the steps taken to make them. All parts of the sampler
// spend from the same budget, so no combination of constraints produces more than these limits.

export const mostValues = 10_000;
export const mostCharacters = 262_144;
/** Merged keywords, compared arms, repeated parts of patterns: work that need not show in the value. */
export const mostSteps = 4_000_000;
/** From here on a value has no further level. */
export const mostDepth = 40;

/** Thrown inside the sampler; `sampleValue` turns it into a `bad-request`. */
export class SampleLimit extends Error {
  /** `constraint` is a keyword with its value; `place` is a path such as `orders[].tags`. */
  constructor(constraint: string, place: string, limit: string) {
    const shown = place === '' ? 'the root' : shorten(place);
    super(`${constraint} at ${shown} asks for more than the simulated model produces (${limit})`);
  }
}

export class SampleBudget {
  values = mostValues;
  characters = mostCharacters;
  steps = mostSteps;

  /** Refuses a count before anything is made for it. */
  expectValues(count: number, constraint: string, place: string): void {
    if (count > this.values) throw new SampleLimit(constraint, place, `${mostValues} values`);
  }

  expectCharacters(count: number, constraint: string, place: string): void {
    if (count > this.characters) throw new SampleLimit(constraint, place, `${mostCharacters} characters`);
  }

  spendValues(count: number, constraint: string, place: string): void {
    this.expectValues(count, constraint, place);
    this.values -= count;
  }

  spendCharacters(count: number, constraint: string, place: string): void {
    this.expectCharacters(count, constraint, place);
    this.characters -= count;
  }

  spendSteps(count: number, place: string): void {
    if (count > this.steps) throw new SampleLimit('the schema', place, `${mostSteps} steps`);
    this.steps -= count;
  }

  /** Spends for a value that the schema holds ready. The walk is iterative and stops at the first limit. */
  spendJson(json: unknown, constraint: string, place: string): void {
    const open: { readonly value: unknown; readonly depth: number }[] = [{ value: json, depth: 0 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value, depth } = next;
      if (depth > mostDepth) throw new SampleLimit(constraint, place, `${mostDepth} levels`);
      this.spendValues(1, constraint, place);
      if (typeof value === 'string') this.spendCharacters(value.length, constraint, place);
      if (typeof value !== 'object' || value === null) continue;
      const isList = Array.isArray(value);
      const parts = Object.entries(value);
      this.expectValues(parts.length, constraint, place);
      for (const [name, part] of parts) {
        if (!isList) this.spendCharacters(name.length, constraint, place);
        open.push({ value: part, depth: depth + 1 });
      }
    }
  }

  /** Tries with half of the steps that are left; after a limit, what was made is given back and nothing is returned. */
  attempt<T>(make: () => T): T | undefined {
    const { values, characters } = this;
    const reserve = Math.floor(this.steps / 2);
    this.steps -= reserve;
    try {
      return make();
    } catch (error) {
      if (!(error instanceof SampleLimit)) throw error;
      this.values = values;
      this.characters = characters;
      return undefined;
    } finally {
      this.steps += reserve;
    }
  }
}

function shorten(place: string): string {
  return place.length > 200 ? `${place.slice(0, 200)}…` : place;
}
