// The price snapshot, `prices.json`. A line of a vendor is one model, and is parsed when it is looked up:
//
//   claude-sonnet-4-5 200000 3/15/0.3/3.75 >200000=6/22.5/0.6/7.5
//
// These are its names (separated by commas), its context window (0: unknown) and its rates: input, output, cache read, cache
// write, reasoning. Rates for special cases follow, and the last case that applies is used: `>200000` for longer prompts,
// `2027-01-01` from a day on, `01:00-04:00` for hours of the day in UTC. A case may combine a time and a length.

/** US dollars per million tokens. Tokens without their own rate cost as much as `input` or `output`. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** For reasoning, if its rate differs from the rest of the output. */
  readonly reasoning?: number;
}

export interface Price extends Rates {
  /** For prompts with more than `above` tokens, in ascending order. */
  readonly tiers?: readonly (Rates & { readonly above: number })[];
}

export interface PriceRow {
  /** In tokens. */
  readonly contextWindow?: number;
  /** The price at a given time. */
  priceAt(time: Date): Price;
}

export class PriceTable {
  /** The lines by vendor and name. */
  readonly #vendors = new Map<string, Map<string, string>>();

  constructor(vendors: Readonly<Record<string, readonly string[]>>) {
    for (const [vendor, lines] of Object.entries(vendors)) {
      const names = new Map<string, string>();
      for (const line of lines) {
        for (const name of line.slice(0, line.indexOf(' ')).split(',')) names.set(name, line);
      }
      this.#vendors.set(vendor, names);
    }
  }

  get vendors(): string[] {
    return [...this.#vendors.keys()];
  }

  namesOf(vendor: string): string[] {
    return [...(this.#vendors.get(vendor)?.keys() ?? [])];
  }

  find(vendor: string, names: readonly string[]): PriceRow | undefined {
    const name = this.findName(vendor, names);
    return name === undefined ? undefined : parseLine(this.#vendors.get(vendor)?.get(name) ?? '');
  }

  /** The first of these names that the vendor's list has. */
  findName(vendor: string, names: readonly string[]): string | undefined {
    const lines = this.#vendors.get(vendor);
    return names.find((candidate) => lines?.has(candidate));
  }
}

function parseLine(line: string): PriceRow {
  const [, context, rates = '', ...cases] = line.split(' ');
  const contextWindow = Number(context);
  return {
    ...(contextWindow > 0 ? { contextWindow } : {}),
    priceAt: (time) => parsePrice(rates, cases, time),
  };
}

function parsePrice(rates: string, cases: readonly string[], time: Date): Price {
  let price: Price = parseRates(rates);
  for (const entry of cases) {
    const [condition = '', special = ''] = entry.split('=');
    const [when = '', above] = condition.split('>');
    if (!holds(when, time)) continue;
    if (above === undefined) price = parseRates(special);
    else price = { ...price, tiers: [...(price.tiers ?? []), { above: Number(above), ...parseRates(special) }] };
  }
  return price;
}

function holds(when: string, time: Date): boolean {
  const iso = time.toISOString();
  if (when === '') return true;
  if (!when.includes(':')) return iso.slice(0, 10) >= when;
  const [from = '', to = ''] = when.split('-');
  const clock = iso.slice(11, 16);
  return clock >= from && clock < to;
}

function parseRates(text: string): Rates {
  const [input, output, cacheRead, cacheWrite, reasoning] = text.split('/');
  return {
    input: Number(input),
    output: Number(output),
    ...(cacheRead ? { cacheRead: Number(cacheRead) } : {}),
    ...(cacheWrite ? { cacheWrite: Number(cacheWrite) } : {}),
    ...(reasoning ? { reasoning: Number(reasoning) } : {}),
  };
}
