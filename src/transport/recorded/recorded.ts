// A transport that records real exchanges to a cassette and replays them, for tests that need real responses but no key
// and no network. It works on raw bytes, so a replay is exactly what the provider sent.
// Invariants: a response that is cut off, aborted or left early is not recorded; a replayed request never reaches the
// network.

import { SimpleAgentsError } from '../../core/error.ts';
import { startTimer } from '../../core/timeout.ts';
import { createUndiciTransport } from '../lazy-undici.ts';
import { secretsIn } from '../secret.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';
import {
  differences,
  keyOf,
  loadCassette,
  loadResponse,
  prepareCassette,
  removeRecording,
  saveExchange,
  toRecordedRequest,
  type CassetteExchange,
  type CassetteRequest,
  type Recording,
} from './cassette.ts';

export interface RecordedOptions {
  readonly directory: string;
  /**
   * `replay` never uses the network. `record` always does, and replaces existing recordings. `auto` replays existing
   * recordings and records what is missing.
   */
  readonly mode: 'record' | 'replay' | 'auto';
  /** The transport to record from. Defaults to the undici transport. */
  readonly transport?: Transport;
}

export function createRecordedTransport(options: RecordedOptions): Transport {
  return new RecordedTransport(options);
}

/** How long `close` waits for responses that are still being read, in milliseconds. */
const closeLimit = 1000;

class RecordedTransport implements Transport {
  readonly #options: RecordedOptions;
  #inner: Transport | undefined;
  #cassette: Promise<Recording[]> | undefined;
  /** The number of recordings of a key that were replayed or made by this transport. */
  readonly #used = new Map<string, number>();
  readonly #unfinished = new Set<Promise<void>>();
  #saving: Promise<void> = Promise.resolve();

  constructor(options: RecordedOptions) {
    this.#options = options;
    this.#inner = options.transport;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const { directory, mode } = this.#options;
    const cassette = await (this.#cassette ??= loadCassette(directory));
    const recorded = toRecordedRequest(request);
    const key = keyOf(recorded);
    const same = cassette.filter((recording) => recording.key === key);
    const used = this.#used.get(key) ?? 0;
    const recording = mode === 'record' ? undefined : same[used];
    if (recording === undefined && mode !== 'replay') return this.#record(request, recorded, signal);
    if (recording === undefined) throw this.#missing(recorded, cassette, same.length);
    this.#used.set(key, used + 1);
    const response = await loadResponse(directory, recording.folder);
    return { ...response, body: replay(response.body, signal) };
  }

  async close(): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const timer = startTimer(closeLimit, limit.resolve);
    await Promise.race([Promise.all(this.#unfinished), limit.promise]);
    clearTimeout(timer);
    await this.#inner?.close();
  }

  async #record(request: TransportRequest, recorded: CassetteRequest, signal: AbortSignal): Promise<TransportResponse> {
    await prepareCassette(this.#options.directory);
    this.#inner ??= createUndiciTransport();
    const response = await this.#inner.send(request, signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#unfinished.add(promise);
    const onEnd = () => {
      this.#unfinished.delete(promise);
      resolve();
    };
    signal.addEventListener('abort', onEnd, { once: true });
    const secrets = secretsIn(request.headers);
    const save = (body: Uint8Array) => this.#save({ request: recorded, response: { ...response, body }, secrets });
    return { ...response, body: tap(response.body, save, onEnd) };
  }

  /** Saves one exchange at a time, so that two do not take the same number. */
  #save(exchange: CassetteExchange): Promise<void> {
    const saved = this.#saving.then(async () => {
      const { directory, mode } = this.#options;
      const recording = await saveExchange(directory, exchange);
      const cassette = (await this.#cassette) ?? [];
      const used = this.#used.get(recording.key) ?? 0;
      const old = mode === 'record' && used === 0 ? cassette.filter(({ key }) => key === recording.key) : [];
      await Promise.all(old.map(({ folder }) => removeRecording(directory, folder)));
      cassette.push(recording);
      this.#used.set(recording.key, used + 1);
    });
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  #missing(request: CassetteRequest, cassette: readonly Recording[], played: number): SimpleAgentsError {
    const { directory } = this.#options;
    const what = `${request.method} ${request.path}`;
    const problem =
      played > 0
        ? `all ${played} recordings of this ${what} in ${directory} have been replayed`
        : `${directory} has no recording of this ${what}${describeClosest(request, cassette)}`;
    return new SimpleAgentsError('configuration', `${problem}; record it with mode 'auto' or 'record'`);
  }
}

/** Passes the body through, and saves it before the reader sees its end. */
async function* tap(
  body: AsyncIterable<Uint8Array>,
  save: (bytes: Uint8Array) => Promise<void>,
  onEnd: () => void,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      yield chunk;
    }
    await save(Buffer.concat(chunks));
  } finally {
    onEnd();
  }
}

async function* replay(body: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  if (body.length > 0) yield body;
}

function describeClosest(request: CassetteRequest, cassette: readonly Recording[]): string {
  let closest: { readonly folder: string; readonly places: readonly string[] } | undefined;
  for (const { folder, request: other } of cassette) {
    const { headers: _ignored, ...rest } = other;
    const { method, path, body } = request;
    const places = differences({ method, path, body }, rest);
    if (closest === undefined || places.length < closest.places.length) closest = { folder, places };
  }
  if (closest === undefined) return ' or of any other request';
  const { folder, places } = closest;
  const more = places.length > 1 ? ` and ${places.length - 1} more` : '';
  return ` (the closest, ${folder}, differs at ${places[0]}${more})`;
}
