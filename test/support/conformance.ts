// Runs the cases of the conformance suite through the library, and through an engine for other languages.

import { createClient } from '../../src/node.ts';
import type { Client } from '../../src/client/client.ts';
import type { PromptInput, TypedRequestInput } from '../../src/client/request.ts';
import { toErrorReply } from '../../src/embed/error-reply.ts';
import type { Call, Reply, StreamItem } from '../../src/embed/index.ts';
import { heal, type HealOptions, type SchemaInput } from '../../src/heal/index.ts';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import type { ClientCase, HealCase } from '../embed/cases.ts';

/** What a case shows: the items that were read, and the error if there was one. */
export interface Outcome {
  readonly items: readonly unknown[];
  readonly error?: unknown;
}

export type CallEngine = (call: Call) => Promise<Reply>;

export function healInLibrary({ text, schema, options }: HealCase): Outcome {
  try {
    return toJson({ items: [heal(text, schema as SchemaInput, options as HealOptions)] });
  } catch (error) {
    return toJson({ items: [], error: toErrorReply(error) });
  }
}

export async function healInEngine({ name: _name, ...call }: HealCase, engine: CallEngine): Promise<Outcome> {
  const reply = await engine({ call: 'heal', ...call });
  return 'error' in reply ? { items: [], error: reply.error } : { items: [reply.result] };
}

/** A provider of its own for each run, so that both see the same script from its beginning. */
export async function withServer(given: ClientCase, run: (one: ClientCase) => Promise<Outcome>): Promise<Outcome> {
  const { replies } = given;
  const script = replies === undefined ? {} : { script: parseScript({ replies, otherwise: 'reply' }) };
  const server = await createSimulateServer(script);
  const closed = await createSimulateServer();
  await closed.close();
  try {
    const outcome = await run(replaceIn(replaceIn(given, '{server}', server.url), '{closed}', closed.url));
    return replaceIn(replaceIn(toJson(outcome), server.url, '{server}'), closed.url, '{closed}');
  } finally {
    await server.close();
  }
}

export async function runInLibrary({ options, input, model, mode }: ClientCase): Promise<Outcome> {
  const items: unknown[] = [];
  let client: Client | undefined;
  try {
    client = createClient(options);
    const request = input as PromptInput & TypedRequestInput;
    if (mode === 'complete') items.push({ completion: await client.complete(request, model) });
    else {
      const stream = client.stream(request, model);
      if (mode === 'partials') for await (const partial of stream.partials()) items.push({ partial });
      else for await (const event of stream) items.push({ event });
      items.push({ completion: await stream.final() });
    }
    return { items };
  } catch (error) {
    return { items, error: toErrorReply(error) };
  } finally {
    await client?.close();
  }
}

export async function runInEngine(one: ClientCase, engine: CallEngine): Promise<Outcome> {
  const { options, input, model, mode } = one;
  const items: unknown[] = [];
  try {
    const { client } = await result<{ client: number }>(engine, { call: 'open-client', options });
    const asked = { client, input, ...(model !== undefined && { model }) };
    if (mode === 'complete') items.push({ completion: await result(engine, { call: 'complete', ...asked }) });
    else await readStream(engine, { ...asked, partials: mode === 'partials' }, items);
    await result(engine, { call: 'close-client', client });
    return { items };
  } catch (error) {
    return { items, error };
  }
}

async function readStream(
  engine: CallEngine,
  asked: { client: number; input: unknown; partials: boolean },
  items: unknown[],
): Promise<void> {
  const { stream } = await result<{ stream: number }>(engine, { call: 'open-stream', ...asked });
  for (;;) {
    const item = await result<StreamItem>(engine, { call: 'read-stream', stream });
    items.push(item);
    if ('completion' in item) return;
  }
}

/** Throws the error of the reply. */
async function result<T = unknown>(engine: CallEngine, call: Call): Promise<T> {
  const reply = await engine(call);
  if ('error' in reply) throw reply.error;
  return reply.result as T;
}

function toJson(outcome: Outcome): Outcome {
  return JSON.parse(JSON.stringify(outcome)) as Outcome;
}

function replaceIn<T>(value: T, from: string, to: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T;
}
