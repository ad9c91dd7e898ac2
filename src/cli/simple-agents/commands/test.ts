// `simple-agents test`: makes one small real call to a provider, to check its key, URL and model.

import type { Command } from 'commander';
import type { Completion } from '../../../client/completion.ts';
import { SimpleAgentsError, type ErrorKind } from '../../../core/error.ts';
import { isContent } from '../../../core/event.ts';
import { describeUsageAndCost, describeTime } from '../../response-writer.ts';
import type { ConnectedClient } from '../connect.ts';
import { addConnectionOptions, outputOption, type ModelFlags } from '../../flags.ts';
import type { Invocation, Run } from '../../invocation.ts';
import { painter, toPrintable, write, type Terminal } from '../../terminal/terminal.ts';

interface TestFlags extends ModelFlags {
  readonly output: 'text' | 'json';
}

export function registerTest(program: Command, run: Run): void {
  addConnectionOptions(
    program
      .command('test')
      .description('test a provider with a small real call')
      .argument('<provider>', 'a name from `simple-agents providers`')
      .option('-m, --model <name>', 'a model name of the provider; by default a small model'),
  )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((name: string, flags: TestFlags) =>
      run((invocation) => test({ ...flags, provider: name }, invocation), flags.output),
    );
}

const examples = `
Examples:
  simple-agents test openai
  simple-agents test ollama -m llama3.2
  simple-agents test openai-compatible --base-url http://127.0.0.1:4010/v1 -m simulated

The exit code shows what is wrong: 3 the key, 5 the model or the URL, 6 the network.`;

const question = 'Reply with the single word: ready';
/** Enough for a model that reasons first, at a negligible cost. */
const maxTokens = 200;

interface Measurement {
  readonly completion: Completion;
  readonly firstTokenMs: number;
  readonly totalMs: number;
}

async function test(flags: TestFlags & { readonly provider: string }, invocation: Invocation): Promise<number> {
  const { terminal, signal } = invocation;
  const connection = await openConnection(flags, terminal);
  try {
    const measurement = await measure(connection, signal);
    const show = flags.output === 'json' ? toJson : toText;
    await write(terminal.stdout, show(connection, measurement, terminal));
    return 0;
  } catch (error) {
    throw error instanceof SimpleAgentsError ? await explain(error, connection) : error;
  } finally {
    await connection.close();
  }
}

/** Uses the vendor's smallest model unless a flag or the configuration names one. */
async function openConnection(
  flags: TestFlags & { readonly provider: string },
  terminal: Terminal,
): Promise<ConnectedClient> {
  const { connect, loadFlagSettings } = await import('../connect.ts');
  const { vendorNamed } = await import('../../../providers/vendors.ts');
  const { providers } = await loadFlagSettings(flags, terminal);
  const provider = providers.find(({ name }) => name === flags.provider);
  const vendor = vendorNamed(provider?.type ?? '');
  const model = flags.model ?? provider?.model ?? vendor?.testModel;
  if (model === undefined && vendor !== undefined) {
    throw new SimpleAgentsError(
      'bad-request',
      `no model given; name one with simple-agents test ${flags.provider} -m NAME`,
    );
  }
  return connect(model === undefined ? flags : { ...flags, model }, terminal);
}

async function measure({ client }: ConnectedClient, signal: AbortSignal): Promise<Measurement> {
  const begun = performance.now();
  const stream = client.stream({ messages: question, maxTokens, signal });
  let firstTokenMs: number | undefined;
  for await (const event of stream) if (isContent(event)) firstTokenMs ??= performance.now() - begun;
  const totalMs = performance.now() - begun;
  return { completion: await stream.final(), firstTokenMs: firstTokenMs ?? totalMs, totalMs };
}

function toText(
  { target }: ConnectedClient,
  { completion, firstTokenMs, totalMs }: Measurement,
  terminal: Terminal,
): string {
  const { stdout, env } = terminal;
  const paint = painter(stdout, env);
  const { provider, model } = target;
  const text = completion.text.replaceAll(/\s+/g, ' ').trim();
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const rows = [
    ['model', completion.model || model],
    ['first token', describeTime(firstTokenMs)],
    ['total', describeTime(totalMs)],
    ['tokens', describeUsageAndCost(completion)],
    ['response', shown === '' ? `(no text; stop reason ${completion.stopReason})` : toPrintable(shown, stdout)],
  ] as const;
  const lines = rows.map(([title, value]) => `  ${title.padEnd(11)}  ${value}\n`);
  return `${paint('green', `${provider.name} works`)}\n${lines.join('')}`;
}

function toJson({ target }: ConnectedClient, { completion, firstTokenMs, totalMs }: Measurement): string {
  const { model, text, stopReason, usage, cost } = completion;
  const times = { firstTokenMs: Math.round(firstTokenMs), totalMs: Math.round(totalMs) };
  const result = {
    provider: target.provider.name,
    model: model || target.model,
    ...times,
    text,
    stopReason,
    usage,
    cost,
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** The same error with a hint for this provider. */
async function explain(error: SimpleAgentsError, { target }: ConnectedClient): Promise<SimpleAgentsError> {
  const { vendorNamed } = await import('../../../providers/vendors.ts');
  const { provider, model } = target;
  const vendor = vendorNamed(provider.type);
  const variable = provider.keyEnv ?? vendor?.keyEnv;
  const address = provider.baseUrl ?? vendor?.baseUrl ?? 'its URL';
  const isLocal = /^https?:\/\/(localhost|127\.|\[::1\])/.test(address);
  const hints: Partial<Record<ErrorKind, string>> = {
    auth: variable === undefined ? 'set its key with --api-key-env' : `the key is read from ${variable}`,
    network: isLocal ? `is ${vendor?.label ?? provider.name} running at ${address}?` : `is ${address} the right URL?`,
    'not-found': `does ${address} have the model "${model}"? Use -m to name another`,
  };
  const hint = hints[error.kind];
  if (hint === undefined || (variable !== undefined && error.message.includes(variable))) return error;
  const { status, retryAfterMs, field, code, requestId, cause } = error;
  const details = { status, retryAfterMs, field, code, requestId, cause, target: error.target ?? provider.name };
  return new SimpleAgentsError(error.kind, `${error.message} — ${hint}`, details as object);
}
