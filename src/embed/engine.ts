// The client and healing behind one function that takes JSON: what a native library calls from C, Python or Go.
// Invariants:
//   1. Every call gets exactly one reply, also if it is not JSON, and `receive` never throws.
//   2. Nothing is read from a provider before a call asks for it.
//   3. A text that crosses the border is well-formed Unicode. Lone surrogates become U+FFFD.

import { createClient, type Client } from '../client/client.ts';
import type { ClientOptions } from '../client/options.ts';
import type { PromptInput, TypedRequestInput } from '../client/request.ts';
import { isRecord, omitUndefined } from '../core/json.ts';
import { heal, type HealOptions, type SchemaInput } from '../heal/index.ts';
import { JsonField } from '../wire/json-field.ts';
import { badCall, toErrorReply } from './error-reply.ts';
import { HostRequests } from './host-fetch.ts';
import type { Engine, EngineHost, HostFailure, HostResponseHead } from './host.ts';
import { OpenStream } from './open-stream.ts';
import type { Call, Reply } from './protocol.ts';
import { createRuntime } from './runtime.ts';

export function createEngine(host: EngineHost): Engine {
  const requests = new HostRequests(host);
  const calls = new CallHandler((options) => createClient(options, createRuntime(host, requests)), host);
  return {
    receive: (id, text) => calls.receive(id, text),
    takeHead: (id, head) => requests.takeHead(id, JSON.parse(head) as HostResponseHead),
    takeChunk: (id, bytes) => requests.takeChunk(id, bytes),
    takeFailure: (id, failure) => requests.takeFailure(id, JSON.parse(failure) as HostFailure),
  };
}

class CallHandler {
  readonly #open: (options: ClientOptions) => Client;
  readonly #host: EngineHost;
  readonly #clients = new Handles<Client>('client');
  readonly #streams = new Handles<OpenStream>('stream');
  /** By the id of the call. */
  readonly #running = new Map<number, AbortController>();

  constructor(open: (options: ClientOptions) => Client, host: EngineHost) {
    this.#open = open;
    this.#host = host;
  }

  receive(id: number, text: string): void {
    void this.#answer(id, text);
  }

  async #answer(id: number, text: string): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      this.#post({ id, result: await this.#run(parseCall(text), controller.signal) });
    } catch (error) {
      this.#post({ id, error: toErrorReply(error, controller.signal) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #run(call: Call, signal: AbortSignal): Promise<unknown> {
    switch (call.call) {
      case 'open-client':
        return { client: this.#clients.add(this.#open(toClientOptions(call.options))) };
      case 'close-client':
        await this.#clients.remove(call.client).close();
        return {};
      case 'complete':
        return this.#clients.get(call.client).complete(withSignal(call.input, signal), call.model);
      case 'open-stream': {
        const cancel = new AbortController();
        const client = this.#clients.get(call.client);
        const stream = client.stream(withSignal(call.input, cancel.signal), call.model);
        return { stream: this.#streams.add(new OpenStream(stream, cancel, call.partials ?? false)) };
      }
      case 'read-stream':
        return this.#readStream(call.stream, signal);
      case 'close-stream':
        this.#streams.remove(call.stream).close();
        return {};
      case 'heal':
        if (typeof call.text !== 'string') throw badCall('text: must be a string');
        return heal(call.text, call.schema as SchemaInput, readHealOptions(call.options));
      case 'cancel':
        this.#running.get(call.target)?.abort();
        return {};
    }
  }

  /** A stream ends with its completion or its error, and its handle with it. */
  async #readStream(handle: number, signal: AbortSignal): Promise<unknown> {
    const stream = this.#streams.get(handle);
    if (stream.isReading) throw badCall('stream: another call is reading it');
    try {
      const item = await stream.read(signal);
      if ('completion' in item) this.#streams.remove(handle);
      return item;
    } catch (error) {
      this.#streams.remove(handle).close();
      throw error;
    }
  }

  #post(reply: Reply): void {
    this.#host.post(reply.id, toWellFormedJson(reply));
  }
}

const callNames: ReadonlySet<unknown> = new Set<Call['call']>([
  'open-client',
  'close-client',
  'complete',
  'open-stream',
  'read-stream',
  'close-stream',
  'heal',
  'cancel',
]);

/** The native library writes the calls, so only their outer form is checked. */
function parseCall(text: string): Call {
  const call = parseJson(text);
  if (!isRecord(call)) throw badCall('the call must be an object');
  if (!callNames.has(call['call'])) throw badCall(`there is no call ${JSON.stringify(call['call'])}`);
  return call as unknown as Call;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badCall('the call is not JSON');
  }
}

/** Options that only code of the same language can pass. */
const foreignOptions = ['transport', 'observer'];

function toClientOptions(options: unknown = {}): ClientOptions {
  if (!isRecord(options)) throw badCall('options: must be an object');
  const foreign = foreignOptions.find((name) => name in options);
  if (foreign !== undefined) throw badCall(`${foreign}: is not supported here; remove it`);
  const { provider } = options;
  if (provider !== undefined && typeof provider !== 'string') throw badCall('provider: must be the name of a provider');
  return options;
}

/** Other inputs are left to the client, which names what is wrong with them. */
function withSignal(input: unknown, signal: AbortSignal): PromptInput & TypedRequestInput {
  const isList = typeof input === 'string' || Array.isArray(input);
  const request = isList ? { messages: input, signal } : isRecord(input) ? { ...input, signal } : input;
  return request as PromptInput & TypedRequestInput;
}

function readHealOptions(options: unknown = {}): HealOptions {
  const fields = new JsonField(options);
  const flag = (name: string) => fields.optionalMember(name, (field) => field.boolean());
  const number = (name: string) => fields.optionalMember(name, (field) => field.number());
  return omitUndefined({
    strict: flag('strict'),
    coerceTypes: flag('coerceTypes'),
    locate: flag('locate'),
    minConfidence: number('minConfidence'),
    maxBytes: number('maxBytes'),
    maxDepth: number('maxDepth'),
  });
}

function toWellFormedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part));
}

/** Objects that the caller knows by number. */
class Handles<T> {
  readonly #kind: string;
  readonly #open = new Map<number, T>();
  #next = 1;

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(value: T): number {
    this.#open.set(this.#next, value);
    return this.#next++;
  }

  get(handle: number): T {
    const value = this.#open.get(handle);
    if (value === undefined) throw badCall(`${this.#kind}: there is no ${this.#kind} ${handle}; it may be closed`);
    return value;
  }

  remove(handle: number): T {
    const value = this.get(handle);
    this.#open.delete(handle);
    return value;
  }
}
