// The limits of one simulated response: values, characters, and steps. All parts of the sampler spend from the same
// budget, so no combination of constraints exceeds these limits.

export const mostValues = 10_000;
export const mostCharacters = 262_144;
/** Work that is not visible in the value: merged keywords, compared union branches, repeated parts of patterns. */
export const mostSteps = 4_000_000;
/** The depth limit of a value. */
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

  /** Checks a count before anything is created. */
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

  /** Spends for a value given in the schema. Iterative; stops at the first limit. */
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

  /** Tries with half of the remaining steps. If a limit is hit, restores values and characters and returns undefined. */
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
