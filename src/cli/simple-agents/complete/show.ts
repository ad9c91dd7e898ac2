// Writes the response of `complete` to stdout: its text, its tool calls or its typed value, as text or JSON, at the end or
// while it streams. Notes go to stderr.

import type { Client } from '../../../client/client.ts';
import type { Completion } from '../../../client/completion.ts';
import { isTyped, type RequestInput, type TypedRequestInput } from '../../../client/request.ts';
import type { CompletionStream } from '../../../client/completion-stream.ts';
import type { TypedCompletion } from '../../../client/typed.ts';
import type { TypedStream } from '../../../client/typed-stream.ts';
import { SimpleAgentsError } from '../../../core/error.ts';
import type { StreamEvent } from '../../../core/event.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { ToolCallBlock } from '../../../core/message.ts';
import { ResponseWriter } from '../../response-writer.ts';
import { toJsonText } from '../../../heal/report/json-text.ts';
import { painter, write, type Terminal } from '../../terminal/terminal.ts';

export interface ShowFlags {
  readonly stream?: true;
  readonly output: 'text' | 'json';
  readonly quiet?: true;
}

export async function show(
  client: Client,
  request: RequestInput | TypedRequestInput,
  flags: ShowFlags,
  terminal: Terminal,
): Promise<Completion> {
  const writer = new ResponseWriter(terminal.stdout);
  try {
    if (flags.output === 'json') return await showJson(client, request, flags, writer);
    if (isTyped(request)) return await showValue(client.stream(request), flags, writer, terminal);
    return await showText(client.stream(request), flags, writer, terminal);
  } finally {
    // Also after a failure, so that its message starts on a new line.
    await writer.finishLine();
  }
}

async function showJson(
  client: Client,
  request: RequestInput | TypedRequestInput,
  flags: ShowFlags,
  writer: ResponseWriter,
): Promise<Completion> {
  const stream = isTyped(request) ? client.stream(request) : client.stream(request);
  for await (const event of stream) if (flags.stream) await writer.write(`${toJsonText(event)}\n`);
  const completion: Completion & Partial<TypedCompletion<unknown>> = await stream.final();
  const { choices: _choices, ...shown } = completion;
  if (!flags.stream) await writer.write(`${toJsonText(shown, 2)}\n`);
  else if (isTyped(request)) await writer.write(`${toJsonText(valueEventOf(completion))}\n`);
  return completion;
}

/** The event after those of the stream, which contain only text. */
function valueEventOf({ value, flags, confidence }: Partial<TypedCompletion<unknown>>): object {
  return { type: 'value', value: value ?? null, flags, confidence };
}

async function showText(
  stream: CompletionStream,
  flags: ShowFlags,
  writer: ResponseWriter,
  terminal: Terminal,
): Promise<Completion> {
  for await (const event of stream) if (flags.stream) await writer.write(textOfEvent(event));
  const completion = await stream.final();
  const { text, toolCalls } = completion;
  if (toolCalls.length === 0) {
    if (!flags.stream) await writer.write(text);
  } else {
    await showCalls(completion, flags, writer, terminal);
  }
  return completion;
}

function textOfEvent(event: StreamEvent): string {
  return event.type === 'text-delta' ? event.text : '';
}

/** One partial value per line, or the complete value. */
async function showValue(
  stream: TypedStream<unknown, unknown>,
  flags: ShowFlags,
  writer: ResponseWriter,
  terminal: Terminal,
): Promise<Completion> {
  const completion = await readValue(stream, flags, writer, terminal);
  if (completion.toolCalls.length > 0) {
    await showCalls(completion, flags, writer, terminal);
    return completion;
  }
  if (!flags.stream) await writer.write(`${toJsonText(completion.value, 2)}\n`);
  if (flags.quiet !== true && completion.flags.length > 0) await showChanges(completion, terminal);
  return completion;
}

async function readValue(
  stream: TypedStream<unknown, unknown>,
  flags: ShowFlags,
  writer: ResponseWriter,
  terminal: Terminal,
): Promise<TypedCompletion<unknown>> {
  try {
    if (flags.stream) await showPartials(stream, writer);
    return await stream.final();
  } catch (error) {
    if (error instanceof SimpleAgentsError && flags.quiet !== true) await showFailedChanges(error.cause, terminal);
    throw error;
  }
}

/** Writes a line for each value that differs from the previous one. A line replaces the one before, so it may correct it. */
async function showPartials(stream: TypedStream<unknown, unknown>, writer: ResponseWriter): Promise<void> {
  let last = '';
  for await (const partial of stream.partials({ monotone: false })) {
    const line = `${toJsonText(partial)}\n`;
    if (line !== last) await writer.write(line);
    last = line;
  }
}

async function showFailedChanges(cause: unknown, terminal: Terminal): Promise<void> {
  const { HealError } = await import('../../../heal/index.ts');
  const { describeChanges: describeDoubts } = await import('../heal/report.ts');
  if (cause instanceof HealError) await write(terminal.stderr, describeDoubts(cause.flags, terminal));
}

async function showChanges({ flags, confidence }: TypedCompletion<unknown>, terminal: Terminal): Promise<void> {
  const { describeChanges: describeDoubts, summarise } = await import('../heal/report.ts');
  const summary = summarise(flags, confidence, painter(terminal.stderr, terminal.env));
  await write(terminal.stderr, `${summary}\n${describeDoubts(flags, terminal)}`);
}

/** Writes one line of JSON per tool call. Other text goes to stderr, unless it was already streamed. */
async function showCalls(
  { text, toolCalls }: Completion,
  flags: ShowFlags,
  writer: ResponseWriter,
  terminal: Terminal,
): Promise<void> {
  const lines = toolCalls.map((call) => `${toJsonText(callOf(call))}\n`);
  const hasText = text.trim() !== '' && flags.stream !== true && flags.quiet !== true;
  if (hasText) {
    const aside = new ResponseWriter(terminal.stderr);
    await aside.write(text);
    await aside.finishLine();
  }
  await writer.finishLine();
  for (const line of lines) await writer.write(line);
}

/** Throws if the arguments are invalid, so that no script runs the call. */
function callOf({ id, name, input, error, raw, flags }: ToolCallBlock): object {
  if (error === undefined) return omitUndefined({ id, name, input: input ?? {}, flags });
  const message = `the arguments of the tool call ${JSON.stringify(name)} are invalid: ${error}`;
  throw new SimpleAgentsError('healing', message, omitUndefined({ text: raw }));
}
