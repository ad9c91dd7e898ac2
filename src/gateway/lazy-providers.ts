// Providers by name, each made at its first call and then kept. One that could not be made is tried again at the next call,
// because what was missing may be there by then.

import type { Provider } from '../core/provider.ts';
import type { ProviderSettings } from './provider-settings.ts';

export class LazyProviders {
  readonly #make: (settings: ProviderSettings) => Promise<Provider>;
  readonly #making = new Map<string, Promise<Provider>>();
  readonly #made = new Map<string, Provider>();

  constructor(make: (settings: ProviderSettings) => Promise<Provider>) {
    this.#make = make;
  }

  get(settings: ProviderSettings): Provider {
    const { name } = settings;
    return {
      name,
      open: (request, signal, context) =>
        this.#made.get(name)?.open(request, signal, context) ??
        this.#ensure(settings).then((provider) => provider.open(request, signal, context)),
    };
  }

  #ensure(settings: ProviderSettings): Promise<Provider> {
    const { name } = settings;
    const known = this.#making.get(name);
    if (known !== undefined) return known;
    const making = this.#make(settings);
    this.#making.set(name, making);
    making.then(
      (provider) => this.#made.set(name, provider),
      () => this.#making.delete(name),
    );
    return making;
  }
}
