// The prices and context windows of models: a dated snapshot of public price lists, overridden by the configuration. An
// unlisted model has no price, because a guess would be worse. The snapshot is loaded on first use.

import { LruMap } from '../core/lru.ts';
import type { BilledUsage } from '../core/usage.ts';
import { costOf } from './cost.ts';
import { makersOf, namesOf } from './model-name.ts';
import { PriceTable, type Price, type PriceRow, type Rates } from './price-table.ts';

/** The price settings of one model. */
export interface PriceSettings extends Partial<Rates> {
  readonly contextWindow?: number;
}

export interface PriceBookSettings {
  /** Maps the names of providers to their vendors, whose prices apply. */
  readonly providers?: readonly { readonly name: string; readonly type: string }[];
  /** By `provider/model`. */
  readonly prices?: Readonly<Record<string, PriceSettings>>;
}

/** Shared by all price books once it is loaded. */
let snapshot: PriceTable | undefined;

export async function loadPriceBook(settings?: PriceBookSettings): Promise<PriceBook> {
  const book = new PriceBook(settings);
  await book.load();
  return book;
}

/** Until the snapshot is loaded, only prices of the configuration are known. */
export class PriceBook {
  readonly #table: PriceTable | undefined;
  readonly #types: ReadonlyMap<string, string>;
  readonly #own = new Map<string, PriceSettings>();
  readonly #found = new LruMap<string, PriceSettings>();
  readonly #rows = new LruMap<string, { readonly row: PriceRow | undefined }>();

  constructor({ providers = [], prices = {} }: PriceBookSettings = {}, table?: PriceTable) {
    this.#table = table;
    this.#types = new Map(providers.map(({ name, type }) => [name, type]));
    for (const [target, own] of Object.entries(prices)) this.#own.set(target.toLowerCase(), own);
  }

  async load(): Promise<void> {
    if (this.#table !== undefined || snapshot !== undefined) return;
    const { default: prices } = await import('./prices.json', { with: { type: 'json' } });
    snapshot ??= new PriceTable(prices.vendors);
  }

  /** Without a provider, the price at the model's vendor. */
  priceOf(model: string, provider?: string, time?: Date): Price | undefined {
    const listed = this.#find(model, provider)?.priceAt(time ?? new Date());
    if (this.#own.size === 0) return listed;
    const { contextWindow: _contextWindow, ...own } = this.#ownOf(model, provider);
    if (Object.keys(own).length === 0) return listed;
    const { tiers: _tiers, ...rates } = listed ?? {};
    const { input, output } = { ...rates, ...own };
    return input === undefined || output === undefined ? undefined : { ...rates, ...own, input, output };
  }

  /** The name of a provider's model in the price list; `undefined` if it is not listed. */
  listedName(model: string, provider: string): string | undefined {
    return (this.#table ?? snapshot)?.findName(this.#types.get(provider) ?? provider, namesOf(model));
  }

  /** In tokens. */
  contextWindowOf(model: string, provider?: string): number | undefined {
    return this.#ownOf(model, provider).contextWindow ?? this.#find(model, provider)?.contextWindow;
  }

  /** In US dollars. */
  costOf({ target, model = '', usage }: BilledUsage, time?: Date): number | undefined {
    const slash = target.indexOf('/');
    const provider = slash === -1 ? target : target.slice(0, slash);
    const asked = slash === -1 ? '' : target.slice(slash + 1);
    // The configuration usually prices the requested name, the price lists the name in the response.
    const isOwn = this.#own.size > 0 && this.#own.has(target.toLowerCase());
    const [first, second] = isOwn ? [asked, model] : [model, asked];
    const price = this.#priceNamed(first, provider, time) ?? this.#priceNamed(second, provider, time);
    return price && costOf(usage, price);
  }

  #priceNamed(name: string, provider: string, time: Date | undefined): Price | undefined {
    return name === '' ? undefined : this.priceOf(name, provider, time);
  }

  #ownOf(model: string, provider: string | undefined): PriceSettings {
    if (this.#own.size === 0 || provider === undefined) return none;
    return this.#found.getOrMake(`${provider}/${model}`, (target) => {
      const spellings = [target.toLowerCase(), ...namesOf(model).map((name) => `${provider}/${name}`)];
      return spellings.map((name) => this.#own.get(name)).find(Boolean) ?? none;
    });
  }

  #find(model: string, provider: string | undefined): PriceRow | undefined {
    const table = this.#table ?? snapshot;
    if (table === undefined) return undefined;
    return this.#rows.getOrMake(`${provider ?? ''} ${model}`, () => ({ row: this.#look(model, provider, table) })).row;
  }

  #look(model: string, provider: string | undefined, table: PriceTable): PriceRow | undefined {
    const type = provider === undefined ? undefined : (this.#types.get(provider) ?? provider);
    if (type === 'simulated') return free;
    const names = namesOf(model);
    const vendors = type === undefined ? [...makersOf(model), ...table.vendors] : [type];
    return vendors.map((vendor) => table.find(vendor, names)).find((row) => row !== undefined);
  }
}

const none: PriceSettings = {};

/** The simulated model costs nothing. */
const free: PriceRow = { priceAt: () => ({ input: 0, output: 0 }) };
