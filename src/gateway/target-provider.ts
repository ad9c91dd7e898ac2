// Creates the provider of a `[[providers]]` entry, from its vendor's row or simulated.

import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import { didYouMean } from '../core/suggest.ts';
import type { Timeouts, Transport } from '../providers/remote.ts';
import { createVendorProvider } from '../providers/vendor-provider.ts';
import { vendorNamed, vendors } from '../providers/vendors.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** Settings that apply to all providers. */
export interface CommonSettings {
  readonly timeouts?: Partial<Timeouts>;
}

/** What the host provides to call targets. */
export interface TargetRuntime {
  readonly transport: Transport;
  /** Creates a provider of type `simulated`. */
  readonly simulated?: (settings: ProviderSettings) => Promise<Provider>;
}

export async function createTargetProvider(
  settings: ProviderSettings,
  { timeouts }: CommonSettings,
  { transport, simulated }: TargetRuntime,
): Promise<Provider> {
  const { name, type, apiKey, baseUrl, headers } = settings;
  if (type === 'simulated') return simulated?.(settings) ?? missingSimulated(name);
  const vendor = vendorNamed(type);
  if (vendor === undefined) {
    const hint = didYouMean(type, [...vendors.map((row) => row.name), 'simulated']);
    throw new SimpleAgentsError('configuration', `there is no provider type "${type}"${hint}`);
  }
  if (vendor.needsKey && apiKey === undefined) {
    const variable = settings.keyEnv ?? vendor.keyEnv;
    throw new SimpleAgentsError('auth', `${vendor.label} needs an API key: set ${variable}`, { target: name });
  }
  const own = omitUndefined({ apiKey, baseUrl, headers });
  const options = { name, ...own, timeouts: { ...timeouts, ...settings.timeouts }, transport };
  return createVendorProvider(vendor, options);
}

function missingSimulated(target: string): never {
  const remedy = 'pass `simulated` to createGateway, or use createGateway of "simple-agents/gateway"';
  throw new SimpleAgentsError(
    'configuration',
    `${target}: the simulated model is not part of this gateway; ${remedy}`,
    {
      target,
    },
  );
}

/** Providers by name, each created at its first call. If that fails, the next call tries again. */
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
