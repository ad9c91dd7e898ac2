// What a library user imports: one client for every model of every provider. Knows requests and answers; who
// answers, and how, is the gateway's business.

import { parseDuration } from '../config/duration.ts';
import { loadSettings } from '../config/load.ts';
import type { Settings, SettingsTier } from '../config/settings.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { compact } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../gateway/gateway.ts';
import { withHealing } from '../gateway/heal.ts';
import type { Target } from '../gateway/resolve.ts';
import type { ProviderSettings } from '../gateway/target.ts';
import type { InferOutput, PartialOf, SchemaInput } from '../heal/index.ts';
import type { Completion } from './completion.ts';
import { isTyped, signalOf, toChatRequest, type Ask, type TypedRequestInput } from './request.ts';
import { CompletionStream } from './stream.ts';
import { TypedStream } from './typed-stream.ts';
import type { HealingOptions, TypedCompletion } from './typed.ts';

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
  /** How tool-call arguments and typed answers are healed. */
  readonly healing?: HealingOptions;
  /** Carries the bytes instead of the network, for instance a recording. */
  readonly transport?: GatewayOptions['transport'];
}

export interface Client {
  /** With a schema the completion has a typed `value`; beside tools there is none while the model calls them. */
  complete<const S extends SchemaInput>(
    ask: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S>>>;
  complete<const S extends SchemaInput>(
    ask: TypedRequestInput<S>,
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S> | undefined>>;
  complete(ask: Ask, model?: string): Promise<Completion>;
  /** With a schema the stream has typed `partials()`. */
  stream<const S extends SchemaInput>(
    ask: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): TypedStream<InferOutput<S>, PartialOf<S>>;
  stream<const S extends SchemaInput>(
    ask: TypedRequestInput<S>,
    model?: string,
  ): TypedStream<InferOutput<S> | undefined, PartialOf<S>>;
  stream(ask: Ask, model?: string): CompletionStream;
  /** Who would answer to a model name. */
  resolve(model?: string): Promise<Target>;
  /** Ends idle connections. Calls under way fail. */
  close(): Promise<void>;
}

/** Nothing is read or connected before the first call, so a mistake in a file shows there. */
export function createClient(options: ClientOptions = {}): Client {
  const client = new GatewayClient(options);
  return {
    complete: (ask: Ask | TypedRequestInput, model?: string) => client.read(ask, model, false).final(),
    stream: (ask: Ask | TypedRequestInput, model?: string) => client.read(ask, model, true),
    resolve: (model) => client.resolve(model),
    close: () => client.close(),
    // What the overloads promise follows from the schema in the request, which the compiler cannot see here.
  } as Client;
}

class GatewayClient {
  readonly #options: ClientOptions;
  #loaded: Promise<Loaded> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  read(
    ask: Ask | TypedRequestInput,
    model: string | undefined,
    isStream: boolean,
  ): CompletionStream | TypedStream<unknown, unknown> {
    const open = async (since: readonly Message[], signal: AbortSignal): Promise<ModelStream> => {
      const request = toChatRequest(ask, model ?? this.#options.model, isStream);
      const { provider } = await this.#connect();
      return provider.open({ ...request, messages: [...request.messages, ...since] }, join(signalOf(ask), signal));
    };
    if (!isTyped(ask)) return new CompletionStream((signal) => open([], signal));
    const healing = async () => ({ ...(await this.#connect()).healing, ...ask.healing });
    return new TypedStream({ schema: ask.schema, healing, open });
  }

  async resolve(model?: string): Promise<Target> {
    return (await this.#load()).provider.resolve(model ?? this.#options.model);
  }

  async close(): Promise<void> {
    await (await this.#loaded)?.provider.close();
  }

  async #connect(): Promise<Connection> {
    const { provider, healing = {} } = this.#options;
    return typeof provider === 'object' ? { provider: withHealing(provider, healing), healing } : this.#load();
  }

  #load(): Promise<Loaded> {
    this.#loaded ??= loadGateway(this.#options);
    return this.#loaded;
  }
}

/** Who is asked, and how its answers are healed. */
interface Connection {
  readonly provider: Provider;
  readonly healing: HealingOptions;
}

interface Loaded extends Connection {
  readonly provider: Gateway;
}

function join(own: AbortSignal | undefined, signal: AbortSignal): AbortSignal {
  return own === undefined ? signal : AbortSignal.any([own, signal]);
}

async function loadGateway(options: ClientOptions): Promise<Loaded> {
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
  const healing = { ...settings.healing, ...options.healing };
  const gateway = createGateway(
    { ...settings, healing, providers: chooseProviders(settings, options, provider) },
    transport === undefined ? {} : { transport },
  );
  return { provider: gateway, healing };
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
