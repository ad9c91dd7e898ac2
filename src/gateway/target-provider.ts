// Creates the provider of a `[[providers]]` entry, from its vendor's row or simulated.

import { SimpleAgentsError, toError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import { didYouMean } from '../core/suggest.ts';
import { regionalUrl } from '../providers/auth/aws-region.ts';
import type { CredentialHost } from '../providers/auth/credential-host.ts';
import { createSigner, type RequestSigner } from '../providers/auth/request-signer.ts';
import { withoutFields } from '../providers/left-out-fields.ts';
import type { Timeouts, Transport } from '../providers/remote.ts';
import { createVendorProvider, wireNamed } from '../providers/vendor-provider.ts';
import { hasWire, vendorOf, vendors } from '../providers/vendors.ts';
import type { ProviderDefinition, ProviderOptions } from './plugin/definition.ts';
import { pluginError, type PluginRegistry, type Registered } from './plugin/registry.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** Settings that apply to all providers. */
export interface CommonSettings {
  readonly timeouts?: Partial<Timeouts>;
  readonly plugins?: PluginRegistry;
}

/** What the host provides to call targets. */
export interface TargetRuntime {
  readonly transport: Transport;
  /** Creates a provider of type `simulated`. */
  readonly simulated?: (settings: ProviderSettings) => Promise<Provider>;
  /** Gives the sources of cloud credentials access to files, the environment and connections. */
  readonly credentialHost?: (transport: Transport) => CredentialHost;
}

export async function createTargetProvider(
  settings: ProviderSettings,
  common: CommonSettings,
  runtime: TargetRuntime,
): Promise<Provider> {
  const provider = await createProvider(settings, common, runtime);
  const { dropFields = [] } = settings;
  return dropFields.length === 0 ? provider : withoutFields(provider, dropFields);
}

async function createProvider(
  settings: ProviderSettings,
  { timeouts, plugins }: CommonSettings,
  runtime: TargetRuntime,
): Promise<Provider> {
  const { name, type, apiKey, baseUrl, headers, rules } = settings;
  const { transport, simulated } = runtime;
  if (type === 'simulated') return simulated?.(settings) ?? missingSimulated(name);
  const added = plugins?.providers.get(type);
  const vendor = vendorOf(settings) ?? added?.definition;
  if (vendor === undefined) {
    const hint = didYouMean(type, [...vendors.map((row) => row.name), 'simulated']);
    throw new SimpleAgentsError('configuration', `there is no provider type "${type}"${hint}`);
  }
  if (settings.wire !== undefined && !hasWire(type, settings.wire)) {
    const problem = `wire: the type "${type}" does not speak ${settings.wire}; leave the setting out`;
    throw new SimpleAgentsError('configuration', `${name}: ${problem}`, { target: name, field: 'wire' });
  }
  if (vendor.needsKey && settings.needsNoKey !== true && apiKey === undefined) {
    const variable = settings.keyEnv ?? vendor.keyEnv;
    throw new SimpleAgentsError('auth', `${vendor.label ?? type} needs an API key: set ${variable}`, { target: name });
  }
  const signer = apiKey === undefined ? signerFor(vendor, settings, runtime) : undefined;
  const address = baseUrl ?? (await regionalUrl(vendor.baseUrl, settings, runtime.credentialHost?.(transport)));
  const own = omitUndefined({ apiKey, baseUrl: address, headers, signer });
  const options = { name, ...own, timeouts: { ...timeouts, ...settings.timeouts }, transport };
  if (added?.definition.create !== undefined)
    return createPluginProvider(added, { ...options, settings: settings.settings });
  const { wire = '', ...row } = vendor;
  return createVendorProvider(
    { auth: 'bearer', ...row },
    omitUndefined({
      ...options,
      wire: plugins?.wireNamed(wire) ?? wireNamed(wire),
      quirks: rules === false ? ({ rules } as const) : undefined,
    }),
  );
}

function signerFor(
  { cloud, label = '' }: Pick<ProviderDefinition, 'cloud' | 'label'>,
  { name, headers, region, profile }: ProviderSettings,
  { credentialHost, transport }: TargetRuntime,
): RequestSigner | undefined {
  const isAuthorized = Object.keys(headers ?? {}).some((header) => /^(?:authorization|api-key)$/i.test(header));
  if (cloud === undefined || isAuthorized) return undefined;
  if (credentialHost !== undefined)
    return createSigner(cloud, credentialHost(transport), omitUndefined({ region, profile }));
  const message = `${label} needs an API key here; pass \`credentialHost\` to createGateway to use cloud credentials`;
  throw new SimpleAgentsError('auth', message, { target: name });
}

async function createPluginProvider(
  { plugin, definition }: Registered<ProviderDefinition>,
  options: ProviderOptions,
): Promise<Provider> {
  const problem = `its provider ${JSON.stringify(definition.name)}`;
  try {
    const provider = await definition.create?.(options);
    if (typeof provider?.open === 'function') {
      const { name } = options;
      return { name, open: (...call) => provider.open(...call), ...embedOf(provider) };
    }
  } catch (error) {
    if (error instanceof SimpleAgentsError) throw error;
    throw pluginError(plugin, `${problem} cannot be created: ${toError(error).message}`, { cause: error });
  }
  throw pluginError(plugin, `${problem} has no function open(); return one from create()`);
}

function embedOf(provider: Provider): Pick<Provider, 'embed'> {
  return provider.embed === undefined ? {} : { embed: provider.embed.bind(provider) };
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

function throwNoEmbeddings(target: string): never {
  const message = `${target} has no embeddings; use a provider that has, such as openai or ollama`;
  throw new SimpleAgentsError('not-found', message, { target, field: 'model' });
}

/** Providers by name, each created at its first call. If that fails, the next call tries again. */
export class LazyProviders {
  readonly #make: (settings: ProviderSettings) => Promise<Provider>;
  readonly #making = new Map<string, Promise<Provider>>();
  readonly #made = new Map<string, Provider>();

  constructor(make: (settings: ProviderSettings) => Promise<Provider>) {
    this.#make = make;
  }

  /** The provider itself, created if necessary. */
  load(settings: ProviderSettings): Promise<Provider> {
    const made = this.#made.get(settings.name);
    return made === undefined ? this.#ensure(settings) : Promise.resolve(made);
  }

  get(settings: ProviderSettings): Provider & Required<Pick<Provider, 'embed'>> {
    const { name } = settings;
    return {
      name,
      embed: async (request, signal, context) => {
        const provider = this.#made.get(name) ?? (await this.#ensure(settings));
        return provider.embed?.(request, signal, context) ?? throwNoEmbeddings(name);
      },
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
