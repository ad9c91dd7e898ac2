// What a library user imports: one client for every model of every provider. Knows requests and answers; who
// answers, and how, is the gateway's business.

import { parseDuration } from '../config/duration.ts';
import { loadSettings } from '../config/load.ts';
import type { Settings, SettingsTier } from '../config/settings.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { compact } from '../core/json.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../gateway/gateway.ts';
import type { Target } from '../gateway/resolve.ts';
import type { ProviderSettings } from '../gateway/target.ts';
import type { Completion } from './completion.ts';
import { signalOf, toChatRequest, type Ask } from './request.ts';
import { CompletionStream } from './stream.ts';

export interface ClientOptions {
  /** A provider's name, or a provider of your own. Left out: whatever the file and the environment offer. */
  readonly provider?: string | Provider;
  /** Left out, the provider's own environment variable is read. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For requests that name none. */
  readonly model?: string;
  readonly maxTokens?: number;
  /** Milliseconds, or `"30s"`: to the first token of a stream, and for the whole of a plain call. */
  readonly timeout?: number | string;
  readonly timeouts?: SettingsTier['timeouts'];
  readonly proxy?: SettingsTier['proxy'];
  /** A configuration file; what is said in code goes before it. */
  readonly config?: string;
  /** Carries the bytes instead of the network, for instance a recording. */
  readonly transport?: GatewayOptions['transport'];
}

export interface Client {
  complete(ask: Ask, model?: string): Promise<Completion>;
  stream(ask: Ask, model?: string): CompletionStream;
  /** Who would answer to a model name. */
  resolve(model?: string): Promise<Target>;
  /** Ends idle connections. Calls under way fail. */
  close(): Promise<void>;
}

/** Nothing is read or connected before the first call, so a mistake in a file shows there. */
export function createClient(options: ClientOptions = {}): Client {
  return new GatewayClient(options);
}

class GatewayClient implements Client {
  readonly #options: ClientOptions;
  #gateway: Promise<Gateway> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async complete(ask: Ask, model?: string): Promise<Completion> {
    const stream = new CompletionStream((signal) => this.#open(ask, model, { stream: false, signal }));
    return stream.final();
  }

  stream(ask: Ask, model?: string): CompletionStream {
    return new CompletionStream((signal) => this.#open(ask, model, { stream: true, signal }));
  }

  async resolve(model?: string): Promise<Target> {
    return (await this.#load()).resolve(model ?? this.#options.model);
  }

  async close(): Promise<void> {
    await (await this.#gateway)?.close();
  }

  async #open(
    ask: Ask,
    model: string | undefined,
    call: { stream: boolean; signal: AbortSignal },
  ): Promise<ModelStream> {
    const own = signalOf(ask);
    const signal = own === undefined ? call.signal : AbortSignal.any([own, call.signal]);
    const request = toChatRequest(ask, model ?? this.#options.model, call.stream);
    const { provider } = this.#options;
    return (typeof provider === 'object' ? provider : await this.#load()).open(request, signal);
  }

  #load(): Promise<Gateway> {
    this.#gateway ??= loadGateway(this.#options);
    return this.#gateway;
  }
}

async function loadGateway(options: ClientOptions): Promise<Gateway> {
  const { config, model, maxTokens, timeout, timeouts, proxy, transport } = options;
  const provider = typeof options.provider === 'string' ? options.provider : undefined;
  const settings = await loadSettings({
    path: config ?? false,
    overrides: compact({
      defaultProvider: provider,
      defaultModel: model,
      maxTokens,
      timeout: typeof timeout === 'string' ? parseDuration(timeout) : timeout,
      timeouts,
      proxy,
    }),
  });
  return createGateway(
    { ...settings, providers: chooseProviders(settings, options, provider) },
    transport === undefined ? {} : { transport },
  );
}

/** A provider named in code is the one meant: without a file, no other is offered beside it. */
function chooseProviders(
  { providers }: Settings,
  { config, apiKey, baseUrl, headers }: ClientOptions,
  name: string | undefined,
): readonly ProviderSettings[] {
  if (name === undefined) return providers;
  const named = providers.find((provider) => provider.name === name);
  if (named === undefined) {
    throw new SimpleAgentsError('configuration', `there is no provider "${name}"`, { field: 'provider' });
  }
  const chosen = { ...named, ...compact({ apiKey, baseUrl, headers }) };
  return config === undefined ? [chosen] : providers.map((provider) => (provider === named ? chosen : provider));
}
