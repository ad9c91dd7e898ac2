// What a library user imports: one client for every model of every provider. Knows requests and answers; who
// answers, and how, is the gateway's business.

import type { Message } from '../core/message.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { CostOf } from '../core/usage.ts';
import { withConfiguredCache, type ClosableProvider } from '../gateway/cache/configured-cache.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { withHealing } from '../gateway/output/healing.ts';
import { withObservation } from '../gateway/observe/observe.ts';
import type { Target } from '../gateway/routing/resolve.ts';
import type { InferOutput, PartialOf, SchemaInput } from '../heal/index.ts';
import type { Completion } from './completion.ts';
import { openConnection, type LiveConnection } from './connection.ts';
import { checkOptions, toCacheSettings, type ClientOptions, type ClientConnection } from './options.ts';
import { contextOf, isTyped, signalOf, toChatRequest, type PromptInput, type TypedRequestInput } from './request.ts';
import type { ClientRuntime } from './runtime.ts';
import { CompletionStream } from './completion-stream.ts';
import { TypedStream } from './typed-stream.ts';
import type { TypedCompletion } from './typed.ts';

export interface Client {
  /** With a schema the completion has a typed `value`; beside tools there is none while the model calls them. */
  complete<const S extends SchemaInput>(
    input: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S>>>;
  complete<const S extends SchemaInput>(
    input: TypedRequestInput<S>,
    model?: string,
  ): Promise<TypedCompletion<InferOutput<S> | undefined>>;
  complete(input: PromptInput, model?: string): Promise<Completion>;
  /** With a schema the stream has typed `partials()`. */
  stream<const S extends SchemaInput>(
    input: TypedRequestInput<S> & { readonly tools?: never },
    model?: string,
  ): TypedStream<InferOutput<S>, PartialOf<S>>;
  stream<const S extends SchemaInput>(
    input: TypedRequestInput<S>,
    model?: string,
  ): TypedStream<InferOutput<S> | undefined, PartialOf<S>>;
  stream(input: PromptInput, model?: string): CompletionStream;
  /** The client as a provider, for what is built on one: an agent, a policy. It answers to the names the client knows. */
  readonly provider: Provider & Pick<Gateway, 'costOf' | 'contextWindowOf'>;
  /** Who would answer to a model name. */
  resolve(model?: string): Promise<Target>;
  /**
   * Reads the configuration file and the environment again. Calls under way end as they began; when something is wrong,
   * this rejects and everything stays as it was.
   */
  reload(): Promise<void>;
  /** Ends idle connections. Calls under way fail. */
  close(): Promise<void>;
}

/** Nothing is read or connected before the first call, so a mistake in a file shows there. */
export function createClient(options: ClientOptions, runtime: ClientRuntime): Client {
  checkOptions(options);
  const client = new GatewayClient(options, runtime);
  return {
    complete: (input: PromptInput | TypedRequestInput, model?: string) => client.read(input, model, false).final(),
    stream: (input: PromptInput | TypedRequestInput, model?: string) => client.read(input, model, true),
    provider: client.toProvider(),
    resolve: (model) => client.resolve(model),
    reload: () => client.reload(),
    close: () => client.close(),
    // What the overloads promise follows from the schema in the request, which the compiler cannot see here.
  } as Client;
}

class GatewayClient {
  readonly #options: ClientOptions;
  readonly #runtime: ClientRuntime;
  #gateway: Promise<LiveConnection> | undefined;
  /** A provider of the user's own, with what stands around it. */
  #own: ClosableProvider | undefined;
  /** A gateway knows what its answers cost; a provider of the user's need not. */
  #prices: Partial<Pick<Gateway, 'costOf' | 'contextWindowOf'>> | undefined;

  constructor(options: ClientOptions, runtime: ClientRuntime) {
    this.#options = options;
    this.#runtime = runtime;
  }

  read(
    input: PromptInput | TypedRequestInput,
    model: string | undefined,
    isStream: boolean,
  ): CompletionStream | TypedStream<unknown, unknown> {
    const open = async (since: readonly Message[], signal: AbortSignal): Promise<ModelStream> => {
      const request = toChatRequest(input, model ?? this.#ownModel(), isStream);
      const { provider } = await this.#connect();
      const messages = [...request.messages, ...since];
      return provider.open({ ...request, messages }, join(signalOf(input), signal), contextOf(input));
    };
    const costOf: CostOf = (answer) => this.#prices?.costOf?.(answer);
    if (!isTyped(input)) return new CompletionStream((signal) => open([], signal), costOf);
    const healing = async () => ({ ...(await this.#connect()).healing, ...input.healing });
    return new TypedStream({ schema: input.schema, healing, open, costOf });
  }

  toProvider(): Client['provider'] {
    return {
      name: 'client',
      open: async (request, signal, context) => {
        const { provider } = await this.#connect();
        const model = request.model || this.#ownModel() || '';
        return provider.open({ ...request, model }, signal, context);
      },
      costOf: (answer) => this.#prices?.costOf?.(answer),
      contextWindowOf: (model) => this.#prices?.contextWindowOf?.(model),
    };
  }

  async resolve(model?: string): Promise<Target> {
    const { provider, model: ownModel = '' } = this.#options;
    if (typeof provider !== 'object') return (await this.#load()).provider.resolve(model);
    return { provider: { name: provider.name, type: provider.name }, model: model ?? ownModel };
  }

  async close(): Promise<void> {
    // Settings that could not be loaded were told to whoever called; there is nothing to close.
    const loaded = await this.#gateway?.catch(() => undefined);
    await loaded?.close();
    await this.#own?.close();
  }

  async reload(): Promise<void> {
    // Before the first call nothing was read that could be old.
    await (await this.#gateway)?.provider.reload();
  }

  /** The gateway knows the client's model as its default. */
  #ownModel(): string | undefined {
    return typeof this.#options.provider === 'object' ? this.#options.model : undefined;
  }

  async #connect(): Promise<ClientConnection> {
    const { provider, healing = {} } = this.#options;
    if (typeof provider === 'object') {
      this.#prices = provider as Partial<Gateway>;
      this.#own ??= withClientPolicies(provider, this.#options, this.#runtime);
      return { provider: this.#own, healing };
    }
    const connection = await this.#load();
    this.#prices = connection.provider;
    return connection;
  }

  #load(): Promise<LiveConnection> {
    if (this.#gateway === undefined) {
      this.#gateway = openConnection(this.#options, this.#runtime);
      // A file that was mended is read at the next call.
      this.#gateway.catch(() => (this.#gateway = undefined));
    }
    return this.#gateway;
  }
}

/** What a gateway does around its own providers. Around a gateway, healing finds nothing left to do. */
function withClientPolicies(
  own: Provider,
  { healing = {}, cache, observer }: ClientOptions,
  { sha256 }: ClientRuntime,
): ClosableProvider {
  const { name } = own;
  const healed = withHealing(own, healing);
  const settings = toCacheSettings(cache);
  const cached = settings?.enabled
    ? withConfiguredCache(healed, settings, { sha256, identify: (model) => ({ provider: name, model, healing }) })
    : undefined;
  const inner = cached ?? healed;
  const provider = observer === undefined ? inner : withObservation(inner, { observer });
  return {
    name,
    open: (request, signal, context) => provider.open(request, signal, context),
    close: async () => cached?.close(),
  };
}

function join(own: AbortSignal | undefined, signal: AbortSignal): AbortSignal {
  return own === undefined ? signal : AbortSignal.any([own, signal]);
}
