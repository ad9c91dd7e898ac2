// The models that providers list themselves, merged into one list. Invariants:
//   1. A provider that does not respond delays the first list by at most `patience`, and later lists not at all.
//   2. Each provider is asked at most once in `lifetime`, after a failure once in `retryTime`; meanwhile the last list is
//      used.

import type { Clock } from '../../core/clock.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import type { PriceBook } from '../../prices/price.ts';
import type { ProviderSettings } from '../provider-settings.ts';

const lifetime = 600_000;
const retryTime = 60_000;
const patience = 1000;

/** Asks a provider for its models. */
export type ListProviderModels = (provider: ProviderSettings) => Promise<readonly string[]>;

interface KnownList {
  names: readonly string[];
  /** When to ask again. */
  expires: number;
  /** Settles when the first answer is there, or when there is none. */
  readonly first: Promise<void>;
}

export class UpstreamModels {
  readonly #ask: ListProviderModels;
  readonly #clock: Clock;
  readonly #known = new Map<string, KnownList>();

  constructor(ask: ListProviderModels, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** `provider/model` of all providers that have responded. */
  async list(providers: readonly ProviderSettings[], prices: PriceBook): Promise<ModelListing[]> {
    const remote = providers.filter(({ type, isImplicit }) => type !== 'simulated' && isImplicit !== true);
    const isFirst = remote.some(({ name }) => !this.#known.has(name));
    const lists = remote.map((provider) => this.#refresh(provider));
    if (isFirst) await this.#wait(lists.map(({ first }) => first));
    return remote.flatMap((provider, index) =>
      (lists[index]?.names ?? []).map((model) => toListing(provider.name, model, prices)),
    );
  }

  async #wait(all: readonly Promise<void>[]): Promise<void> {
    const done = new AbortController();
    const limit = this.#clock.sleep(patience, done.signal).catch(() => undefined);
    await Promise.race([Promise.all(all), limit]);
    done.abort();
  }

  #refresh(provider: ProviderSettings): KnownList {
    const now = this.#clock.now();
    const known = this.#known.get(provider.name);
    if (known !== undefined && now < known.expires) return known;
    const asking = this.#ask(provider);
    const list: KnownList = known ?? { names: [], expires: 0, first: asking.then(ignore, ignore) };
    list.expires = now + retryTime;
    asking.then((names) => {
      list.names = names;
      list.expires = now + lifetime;
    }, ignore);
    this.#known.set(provider.name, list);
    return list;
  }
}

function ignore(): void {}

function toListing(provider: string, model: string, prices: PriceBook): ModelListing {
  const price = prices.priceOf(model, provider);
  return omitUndefined({
    id: `${provider}/${model}`,
    provider,
    contextWindow: prices.contextWindowOf(model, provider),
    price: price && { input: price.input, output: price.output },
  });
}
