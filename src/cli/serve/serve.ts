// Runs the gateway's server: from the settings to an address on stdout, through reloads, to an orderly end.

import type { Settings } from '../../config/settings.ts';
import { toError } from '../../core/error.ts';
import { compact } from '../../core/json.ts';
import { createServer, type ChatSettings, type GatewayServer, type ServerSettings } from '../../server/server.ts';
import type { Tracing } from '../../server/otlp.ts';
import type { ServeFlags } from '../commands/serve.ts';
import { explainDefault, isSimulated, nameOf } from '../default-model.ts';
import type { Invocation } from '../invocation.ts';
import { painter, write, type Terminal } from '../terminal.ts';
import { LiveGateway } from './live-gateway.ts';
import { createLogger, type CloseableLogger } from './logger.ts';
import { untilStopped } from './stop.ts';

export async function serve(flags: ServeFlags, { terminal, signal }: Invocation): Promise<number> {
  const live = await LiveGateway.open(flags.config, terminal);
  const logger = createLogger(flags.logLevel ?? live.settings.server.logLevel, terminal.stderr);
  const tracing = await trace(live.settings);
  const note = describeDefault(live.settings, terminal);
  const server = createServer({
    ...toServerSettings(live.settings, flags),
    provider: live.gateway,
    models: () => live.models(),
    healing: () => live.settings.healing,
    tools: live.tools,
    chat: toChatSettings(live.settings),
    note,
    logger,
  });
  const stop = untilStopped(terminal, signal);
  try {
    const address = await server.listen();
    const stopReloading = await keepCurrent(live, server, { logger, terminal });
    await write(terminal.stdout, `listening on ${address}\n`);
    await write(terminal.stderr, describeUse(address, note, terminal));
    await stop.asked;
    stopReloading();
    await Promise.race([server.close(), stop.askedAgain.then(() => server.close({ drain: 0 }))]);
    return 0;
  } finally {
    stop.close();
    await live.close();
    await tracing?.close();
    await logger.close();
  }
}

async function trace({ server: { otlpEndpoint } }: Settings): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { startTracing } = await import('../../server/otlp.ts');
  return startTracing(otlpEndpoint);
}

function toServerSettings({ server }: Settings, { port, host }: ServeFlags): ServerSettings {
  const { logLevel: _logLevel, otlpEndpoint: _otlpEndpoint, ...settings } = server;
  return { ...settings, ...compact({ port, host }) };
}

function toChatSettings({ chat: { tools: _tools, ...settings } }: Settings): ChatSettings {
  return settings;
}

interface Surroundings {
  readonly logger: CloseableLogger;
  readonly terminal: Terminal;
}

/** Takes up changes of the file, when it changes and when told to. Gives what ends that. */
async function keepCurrent(
  live: LiveGateway,
  server: GatewayServer,
  { logger, terminal }: Surroundings,
): Promise<() => void> {
  const reload = (): void => {
    live
      .reload()
      .then(
        () => {
          const { keys = [], corsOrigins = [], allowedHosts = [] } = live.settings.server;
          server.update({ keys, corsOrigins, allowedHosts, chat: toChatSettings(live.settings), tools: live.tools });
          logger.info({ type: 'reload' });
        },
        (error: unknown) => logger.error({ type: 'reload', error: toError(error).message }),
      )
      .catch((error: unknown) => logger.error({ type: 'reload', error: toError(error).message }));
  };
  await live.watch(reload);
  return terminal.onSignal('SIGHUP', reload);
}

function describeDefault(settings: Settings, { cwd }: Terminal): string {
  const { target, reason } = explainDefault(settings, cwd);
  if (target === undefined) return `There is no default model: ${reason}.`;
  if (!isSimulated(target)) return `Requests that name no model go to ${nameOf(target)}: ${reason}.`;
  return 'No API key found; using the built-in simulated model. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or another key to use a real one.';
}

function describeUse(address: string, note: string, { stderr, env }: Terminal): string {
  const paint = painter(stderr, env);
  return [
    note,
    `Commands to try: ${address}/`,
    paint('dim', `OpenAI clients: base URL ${address}/v1. Anthropic clients: ${address}. Press Ctrl-C to stop.`),
    '',
  ].join('\n');
}
