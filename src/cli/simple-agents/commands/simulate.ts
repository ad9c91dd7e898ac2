// `simple-agents simulate`: serves the simulated model over HTTP, to test applications and SDKs.

import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { SimpleAgentsError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { DamageKind } from '../../../testing/damage/damage.ts';
import type { Script } from '../../../testing/model/script.ts';
import { parsePort, parsePositive } from '../../flags.ts';
import type { Invocation, Run } from '../../invocation.ts';
import type { ProcessGuard } from '../../process-guard.ts';
import { painter, write, type Terminal } from '../../terminal/terminal.ts';

interface SimulateFlags {
  readonly port: number;
  readonly host: string;
  readonly allowRemote?: true;
  readonly seed?: string;
  readonly script?: string;
  readonly damage?: string;
  readonly tokensPerSecond?: number;
}

const defaultPort = 4010;

export function registerSimulate(program: Command, run: Run): void {
  program
    .command('simulate')
    .description('serve the simulated model over HTTP, with the OpenAI, Anthropic, Gemini and Bedrock APIs')
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 selects a free port')
        .argParser(parsePort)
        .default(defaultPort),
    )
    .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .option('--allow-remote', 'allow a --host that other machines can reach')
    .option('--seed <text>', 'the seed for the responses')
    .option('--script <file>', 'a JSON file with replies')
    .option('--damage <kind>', 'damage JSON responses and tool arguments in this way')
    .option('--tokens-per-second <number>', 'the speed of the responses', parsePositive)
    .addHelpText('after', examples)
    .action((flags: SimulateFlags) => run((invocation) => simulate(flags, invocation)));
}

const examples = `
Examples:
  simple-agents simulate
  simple-agents simulate --port 0 --tokens-per-second 20
  simple-agents simulate --script replies.json
  simple-agents simulate --damage trailing-comma

The first line on stdout is the address. Ctrl-C stops the server with exit code 0.`;

async function simulate(flags: SimulateFlags, invocation: Invocation): Promise<number> {
  checkHost(flags);
  const { logUnhandled, ProcessGuard } = await import('../../process-guard.ts');
  const { createLogger } = await import('../serve/logger.ts');
  const guard = new ProcessGuard(invocation.terminal, logUnhandled(createLogger('error', invocation.terminal.stderr)));
  try {
    return await runServer(flags, guard, invocation);
  } finally {
    guard.close();
  }
}

async function runServer(flags: SimulateFlags, guard: ProcessGuard, { terminal, signal }: Invocation): Promise<number> {
  const { createSimulateServer } = await import('../../../testing/simulate/server.ts');
  const { listenForStop } = await import('../serve/stop.ts');
  const { port, host, seed, tokensPerSecond } = flags;
  const server = await createSimulateServer(
    omitUndefined({
      port,
      host,
      seed,
      tokensPerSecond,
      damage: await checkDamage(flags),
      script: await readScript(flags, terminal),
    }),
  );
  const stop = listenForStop(terminal, signal);
  try {
    await write(terminal.stdout, `listening on ${server.url}\n`);
    await write(terminal.stderr, describeUse(server.url, terminal));
    await Promise.race([guard.crashed, stop.requested]);
    return guard.isCrashed ? 1 : 0;
  } finally {
    stop.close();
    await server.close();
  }
}

/** The server has no authentication and shows the requests it received, so it must not be exposed by mistake. */
function checkHost({ host, allowRemote }: SimulateFlags): void {
  if (allowRemote || host === 'localhost' || host === '::1' || host.startsWith('127.')) return;
  throw new SimpleAgentsError(
    'bad-request',
    `--host ${host} can be reached from other machines; add --allow-remote to allow it`,
  );
}

async function checkDamage({ damage }: SimulateFlags): Promise<DamageKind | undefined> {
  if (damage === undefined) return undefined;
  const { damageKinds } = await import('../../../testing/damage/damage.ts');
  const { didYouMean } = await import('../../../core/suggest.ts');
  const kind = damageKinds.find((known) => known === damage);
  if (kind !== undefined) return kind;
  const fix = didYouMean(damage, damageKinds) || `; the kinds are ${damageKinds.join(', ')}`;
  throw new SimpleAgentsError('bad-request', `--damage: unknown kind ${JSON.stringify(damage)}${fix}`);
}

async function readScript({ script }: SimulateFlags, { cwd }: Terminal): Promise<Script | undefined> {
  if (script === undefined) return undefined;
  const { loadScript } = await import('../../../testing/model/load-script.ts');
  return loadScript(resolve(cwd, script));
}

function describeUse(url: string, { stderr, env }: Terminal): string {
  const paint = painter(stderr, env);
  const body = '{"model":"simulated","messages":[{"role":"user","content":"Count to 5"}]}';
  return [
    paint('dim', 'Supports the OpenAI, Anthropic, Gemini and Bedrock APIs with any API key. Commands to try:'),
    `  curl ${url}/v1/chat/completions -H 'authorization: Bearer any' -H 'content-type: application/json' -d '${body}'`,
    `  OPENAI_API_KEY=any OPENAI_BASE_URL=${url}/v1 simple-agents complete "Count to 5" --stream`,
    `  ANTHROPIC_API_KEY=any ANTHROPIC_BASE_URL=${url} simple-agents chat -m anthropic`,
    paint('dim', `Received requests: ${url}/_simulate/requests. Press Ctrl-C to stop.`),
    '',
  ].join('\n');
}
