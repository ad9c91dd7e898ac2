// The gateway behind a client. It is created from the client's options, and again at each reload: on request, or when the
// configuration file changes.

import { toError } from '../core/error.ts';
import { LearnedState } from '../gateway/learned-state.ts';
import { ReloadingGateway } from '../gateway/reloading-gateway.ts';
import { loadGateway, type ClientOptions, type ClientConnection } from './options.ts';
import type { ClientRuntime } from './runtime.ts';

export interface LiveConnection extends ClientConnection<ReloadingGateway> {
  close(): Promise<void>;
}

export async function openConnection(options: ClientOptions, runtime: ClientRuntime): Promise<LiveConnection> {
  const made = Promise.withResolvers<ReloadingGateway>();
  // Watch before the file is read, so that no change is missed.
  const watch = await startWatch(options, runtime, made.promise);
  try {
    const connection = await connect(options, runtime, () => watch?.close());
    made.resolve(connection.provider);
    return connection;
  } catch (error) {
    watch?.close();
    throw error;
  }
}

async function connect(options: ClientOptions, runtime: ClientRuntime, closed: () => void): Promise<LiveConnection> {
  const { transport } = options;
  // The caller's transport outlives the gateways that use it.
  const lent = transport && { ...options, transport: withoutClose(transport) };
  const learnedState = new LearnedState();
  let current: ClientConnection;
  const make = async () => {
    const { provider, ...rest } = await loadGateway(lent ?? options, runtime, learnedState);
    current = { provider, ...rest };
    return provider;
  };
  const provider = new ReloadingGateway(await make(), make);
  return {
    provider,
    get healing() {
      return current.healing;
    },
    async close() {
      closed();
      await provider.close();
      await transport?.close();
    },
  };
}

type ClientTransport = NonNullable<ClientOptions['transport']>;

function withoutClose(transport: ClientTransport): ClientTransport {
  const { prefersStreams } = transport;
  return {
    send: (request, signal) => transport.send(request, signal),
    close: () => Promise.resolve(),
    ...(prefersStreams === undefined ? {} : { prefersStreams }),
  };
}

async function startWatch(
  { config, watch }: ClientOptions,
  runtime: ClientRuntime,
  provider: Promise<ReloadingGateway>,
): Promise<{ close(): void } | undefined> {
  if (config === undefined || !watch) return undefined;
  const report = typeof watch === 'function' ? watch : () => undefined;
  const reload = async () => (await provider).reload();
  return runtime.watchFile(config, () => {
    reload().then(
      () => report(undefined),
      (error: unknown) => report(toError(error)),
    );
  });
}
