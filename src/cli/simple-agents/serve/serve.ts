// Runs the gateway's HTTP server: starts it, prints its address, reloads the configuration, shuts down gracefully.

import type { Settings } from '../../../config/settings.ts';
import { toError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import {
  createServer,
  type ChatSettings,
  type GatewayServer,
  type ServerChanges,
  type ServerSettings,
} from '../../../server/server.ts';
import type { Tracing } from '../../../server/metrics/otlp.ts';
import type { ServeFlags } from '../commands/serve.ts';
import { explainDefault, isSimulated, nameOf } from '../default-model.ts';
import type { Invocation } from '../../invocation.ts';
import { crashDrain, logUnhandled, ProcessGuard } from '../../process-guard.ts';
import { painter, write, type Terminal } from '../../terminal/terminal.ts';
import { LiveGateway } from './live-gateway.ts';
import { createLogger, type CloseableLogger } from './logger.ts';
import { loadSigningKey } from './signing-key.ts';
import { listenForStop } from './stop.ts';

export async function serve(flags: ServeFlags, { terminal, signal }: Invocation): Promise<number> {
  // Created first, because a tool module may cause an uncaught failure while it is loaded.
  const guard = new ProcessGuard(terminal, logUnhandled(createLogger(flags.logLevel ?? 'error', terminal.stderr)));
  try {
    return await runServer(flags, guard, { terminal, signal });
  } finally {
    guard.close();
  }
}

async function runServer(flags: ServeFlags, guard: ProcessGuard, { terminal, signal }: Invocation): Promise<number> {
  const live = await LiveGateway.open(flags.config, terminal);
  const logger = createLogger(flags.logLevel ?? live.settings.server.logLevel, terminal.stderr);
  const tracing = await trace(live.settings);
  const note = describeDefault(live.settings, terminal);
  const { drain, signingKeyFile } = live.settings.server;
  const signingKey = signingKeyFile === undefined ? undefined : await loadSigningKey(signingKeyFile);
  const server = createServer({
    ...(signingKey === undefined ? {} : { signingKey }),
    ...toServerSettings(live.settings, flags),
    provider: live.gateway,
    models: () => live.models(),
    modelLabel: live.modelLabel,
    healing: () => live.settings.healing,
    tools: live.tools,
    chat: toChatSettings(live.settings),
    simulation: () => live.simulation,
    note,
    logger,
  });
  guard.reportTo((kind, thrown) => server.reportUnhandled(kind, thrown));
  const stop = listenForStop(terminal, signal);
  try {
    const address = await server.listen();
    const stopReloading = await reloadOnChange(live, server, { logger, terminal });
    await write(terminal.stdout, `listening on ${address}\n`);
    await write(terminal.stderr, describeUse(address, [note, ...describeAccess(live.settings)], terminal));
    await Promise.race([guard.crashed, stop.requested]);
    stopReloading();
    const close = (limit: number) => server.close({ drain: limit });
    const closed = close(guard.isCrashed ? Math.min(crashDrain, drain) : drain);
    await Promise.race([closed, stop.requestedAgain.then(() => close(0))]);
    return guard.isCrashed ? 1 : 0;
  } finally {
    stop.close();
    await live.close();
    await tracing?.close();
    await logger.close();
  }
}

async function trace({ server: { otlpEndpoint } }: Settings): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { startTracing } = await import('../../../server/metrics/otlp.ts');
  return startTracing(otlpEndpoint);
}

function toServerSettings({ server }: Settings, { port, host }: ServeFlags): ServerSettings {
  const { logLevel: _logLevel, otlpEndpoint: _otlpEndpoint, signingKeyFile: _signingKeyFile, ...settings } = server;
  return { ...settings, ...omitUndefined({ port, host }) };
}

function toChatSettings({ chat: { tools: _tools, ...settings } }: Settings): ChatSettings {
  return settings;
}

interface ReloadContext {
  readonly logger: CloseableLogger;
  readonly terminal: Terminal;
}

/** Reloads when the file changes and on SIGHUP. Returns a function that stops this. */
async function reloadOnChange(
  live: LiveGateway,
  server: GatewayServer,
  { logger, terminal }: ReloadContext,
): Promise<() => void> {
  live.onReload(({ settings, tools }) => server.update({ ...toServerChanges(settings), tools }));
  const reload = (): void => {
    live.reload().then(
      () => logger.info({ type: 'reload' }),
      (error: unknown) => logger.error({ type: 'reload', error: describeReloadFailure(error) }),
    );
  };
  await live.watch(reload);
  return terminal.onSignal('SIGHUP', reload);
}

/** The settings of `[server]` that can change while the server runs. */
function toServerChanges(settings: Settings): ServerChanges {
  const { keys = [], corsOrigins = [], allowedHosts = [], forwardProviders = [] } = settings.server;
  return { keys, corsOrigins, allowedHosts, forwardProviders, chat: toChatSettings(settings) };
}

function describeReloadFailure(error: unknown): string {
  return `the configuration was not reloaded; the previous one stays in effect: ${toError(error).message}`;
}

function describeDefault(settings: Settings, { cwd }: Terminal): string {
  const { target, reason } = explainDefault(settings, cwd);
  if (target === undefined) return `No default model: ${reason}.`;
  if (!isSimulated(target)) return `Requests without a model go to ${nameOf(target)}, because ${reason}.`;
  return 'No API key found; using the built-in simulated model. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or another key to use a real one.';
}

function describeAccess({ server: { keys = [] } }: Settings): string[] {
  return keys.length > 0 ? [] : ['No keys are set in [server]: any program on this machine can use the gateway.'];
}

function describeUse(address: string, notes: readonly string[], { stderr, env }: Terminal): string {
  const paint = painter(stderr, env);
  return [
    ...notes,
    `Playground: ${address}/`,
    paint('dim', `OpenAI clients: base URL ${address}/v1. Anthropic clients: ${address}. Press Ctrl-C to stop.`),
    '',
  ].join('\n');
}
