// `simple-agents complete`: one prompt, one response. The response is always streamed from the provider, so that the timeout
// for calls that are not streamed does not limit a long one; `--stream` only decides when it is shown.

import { InvalidArgumentError, type Command } from 'commander';
import type { RequestInput, TypedRequestInput } from '../../../client/request.ts';
import { omitUndefined } from '../../../core/json.ts';
import { text } from '../../../core/message.ts';
import type { ToolDefinition } from '../../../core/request.ts';
import type { SchemaInput } from '../../../heal/index.ts';
import { notesOf } from '../../response-writer.ts';
import type { ConnectedClient } from '../connect.ts';
import type { FailureFormat } from '../../failure.ts';
import { addGenerationOptions, outputOption, parseTime, type GenerationFlags } from '../../flags.ts';
import { CallLines } from '../../call-lines.ts';
import { loadImage } from '../complete/image.ts';
import type { Invocation, Run } from '../../invocation.ts';
import { readPrompt } from '../complete/prompt.ts';
import { painter, write, type Terminal } from '../../terminal/terminal.ts';

interface CompleteFlags extends GenerationFlags {
  readonly message?: string;
  readonly image?: readonly string[];
  readonly schema?: string;
  readonly tool?: readonly string[];
  readonly stream?: true;
  readonly output: 'text' | 'json';
  readonly quiet?: true;
  readonly cache?: RequestInput['cache'] | false;
}

export function registerComplete(program: Command, run: Run): void {
  const command = program
    .command('complete')
    .description('send a prompt and print the response')
    .argument('[prompt...]', 'the prompt; - adds standard input')
    .option('--message <text>', 'the beginning of the prompt, before the arguments');
  addGenerationOptions(command)
    .option('--image <location>', 'an image file or URL; can be repeated', collect)
    .option('--schema <file>', 'a JSON Schema file; prints the response as a value that matches it')
    .option('--tool <file>', 'a JSON file with one or more tool definitions; can be repeated', collect)
    .option('--stream', 'print the response as it arrives')
    .option('--cache <mode>', 'off, read, refresh, or how long to store the response, such as 10m', parseCacheMode)
    .option('--no-cache', 'neither read from nor write to the cache')
    .addOption(outputOption())
    .option('-q, --quiet', 'print no notes on stderr')
    .addHelpText('after', examples)
    .action((words: string[], flags: CompleteFlags) =>
      run((invocation) => complete(words, flags, invocation), failureFormatOf(flags)),
    );
}

const examples = `
Examples:
  simple-agents complete "Why is the sky blue?"
  simple-agents complete -m openai/gpt-5.4-mini --message "Explain Rust" --output json
  simple-agents complete "Count to 10" --stream
  simple-agents complete "What is in this picture?" --image cat.png
  simple-agents complete "Invent a character" --schema character.json
  simple-agents complete "What is the weather in Paris?" --tool weather.json
  git diff | simple-agents complete "Write a commit message for this diff:" -

Without a prompt, standard input is the prompt. With one, standard input is read only if - is given.
With --schema, the value is printed as JSON, and the changes made to the response go to stderr.
With --tool, each tool call of the model is printed as a line of JSON; no tool is run.
With --output json, errors are JSON on stdout too; with --stream, each event is one line.`;

function parseCacheMode(mode: string): RequestInput['cache'] {
  if (mode === 'off' || mode === 'read' || mode === 'refresh') return mode;
  const ttl = parseTime(mode);
  if (ttl > 0) return { ttl };
  throw new InvalidArgumentError('It must be greater than 0.');
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function failureFormatOf({ output, stream }: CompleteFlags): FailureFormat {
  if (output === 'text') return 'text';
  return stream ? 'json-lines' : 'json';
}

async function complete(words: readonly string[], flags: CompleteFlags, invocation: Invocation): Promise<number> {
  const { terminal } = invocation;
  const request = await toRequest(words, flags, invocation);
  const { connect } = await import('../connect.ts');
  const { show } = await import('../complete/show.ts');
  const { checkAddress, isFallback } = await import('../simulated-fallback.ts');
  const lines = flags.verbose && new CallLines(terminal.stderr, painter(terminal.stderr, terminal.env));
  const connection = await connect(flags, terminal, lines?.observe);
  try {
    if (isFallback(connection.target, connection.settings)) checkAddress(terminal.env);
    if (!flags.quiet) await noteBefore(connection, flags, terminal);
    const completion = await show(connection.client, request, flags, terminal);
    if (!flags.quiet && flags.output === 'text') await note(notesOf(completion, { areCallsShown: true }), terminal);
    return 0;
  } finally {
    lines?.flush();
    await connection.close();
  }
}

async function toRequest(
  words: readonly string[],
  flags: CompleteFlags,
  invocation: Invocation,
): Promise<RequestInput | TypedRequestInput> {
  const { message, image = [], system, maxTokens, temperature, cache } = flags;
  const { cwd } = invocation.terminal;
  const [images, tools, schema] = await Promise.all([
    Promise.all(image.map((location) => loadImage(location, cwd))),
    loadTools(flags, cwd),
    loadSchema(flags, cwd),
  ]);
  const prompt = await readPrompt(omitUndefined({ message, words }), invocation);
  const messages = [{ role: 'user' as const, content: [...images, text(prompt)] }];
  return omitUndefined({
    messages,
    system,
    tools,
    schema,
    maxTokens,
    temperature,
    signal: invocation.signal,
    cache: cache === false ? ('off' as const) : cache,
  });
}

async function loadTools({ tool: files }: CompleteFlags, cwd: string): Promise<ToolDefinition[] | undefined> {
  if (files === undefined) return undefined;
  const { readTools } = await import('../complete/tool-file.ts');
  return (await Promise.all(files.map((file) => readTools(file, cwd)))).flat();
}

async function loadSchema({ schema: file }: CompleteFlags, cwd: string): Promise<SchemaInput | undefined> {
  if (file === undefined) return undefined;
  const { readSchema } = await import('../heal/schema-file.ts');
  return readSchema(file, cwd);
}

async function noteBefore(connection: ConnectedClient, { cache }: CompleteFlags, terminal: Terminal): Promise<void> {
  await noteSimulated(connection, terminal);
  const isStorageRequested = cache !== undefined && cache !== false && cache !== 'off';
  if (!isStorageRequested || connection.settings.cache.enabled === true) return;
  await note(
    ['the response is not stored because the cache is off; set enabled = true in [cache] of the configuration'],
    terminal,
  );
}

async function noteSimulated({ target, settings }: ConnectedClient, terminal: Terminal): Promise<void> {
  if (target.provider.type !== 'simulated') return;
  const isAlone = settings.providers.length === 1 && settings.file === undefined;
  const sentence = isAlone
    ? 'no API key found; using the simulated model. Run "simple-agents providers" to see the supported keys'
    : 'using the simulated model';
  await note([sentence], terminal);
}

async function note(sentences: readonly string[], { stderr, env }: Terminal): Promise<void> {
  const paint = painter(stderr, env);
  for (const sentence of sentences) await write(stderr, `${paint('dim', `note: ${sentence}`)}\n`);
}
