// Sends a response and injects the faults at byte level: stalls, a cut connection, an early end, small chunks, random
// bytes. Invariant: byte counts are those of the body as sent, after compression and before transfer coding.

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';

import type { Fault } from '../model/fault.ts';
import { wait } from '../model/pace.ts';
import { createRandom } from '../model/random.ts';

export interface OutgoingResponse {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent with its length, chunks as they arrive. */
  readonly body: string | AsyncIterable<string | Uint8Array>;
  /** Sent during a stall inside the body. Left out: nothing is sent. */
  readonly ping?: string;
}

/** An endless stall lasts as long as a timer can. */
const forever = 2 ** 31 - 1;

/** Resolves when the last byte is sent or the connection is cut. Rejects when the client disconnects. */
export async function sendResponse(
  response: ServerResponse,
  outgoing: OutgoingResponse,
  fault: Fault,
  signal: AbortSignal,
): Promise<void> {
  await wait(fault.stallBeforeMs ?? 0, signal);
  if (fault.reset === true) {
    response.socket?.resetAndDestroy();
    return;
  }
  const chunks = bodyOf(outgoing, fault);
  response.writeHead(outgoing.status, headersOf(outgoing, fault, chunks));
  response.flushHeaders();
  const writer = new FaultyWriter(response, { fault, ping: outgoing.ping, signal });
  await writer.pause(fault.stallBeforeBodyMs ?? 0);
  for await (const chunk of chunks) if (!(await writer.write(chunk))) return;
  if (await writer.write(new Uint8Array())) response.end();
}

type Chunks = Uint8Array[] | AsyncIterable<Uint8Array>;

function bodyOf({ body }: OutgoingResponse, fault: Fault): Chunks {
  if (fault.garbage !== undefined) return [randomBytes(fault.garbage)];
  const chunks = typeof body === 'string' ? [Buffer.from(body)] : toBytes(body);
  return fault.gzip === true ? compress(chunks) : chunks;
}

function headersOf(outgoing: OutgoingResponse, fault: Fault, chunks: Chunks): Record<string, string> {
  const hasLength = Array.isArray(chunks) && fault.endAtByte === undefined;
  return {
    ...outgoing.headers,
    'content-type': fault.contentType ?? outgoing.contentType,
    'cache-control': 'no-cache',
    ...(fault.gzip === true ? { 'content-encoding': 'gzip' } : {}),
    ...(hasLength ? { 'content-length': String(chunks.reduce((sum, { length }) => sum + length, 0)) } : {}),
  };
}

async function* toBytes(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Flushes every chunk, so that a compressed stream still arrives event by event. */
async function* compress(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const done = pipeline(chunks, gzip);
  // Reading the stream throws the same error.
  done.catch(() => {});
  yield* gzip;
}

function randomBytes(length: number): Uint8Array {
  const random = createRandom('garbage');
  return Uint8Array.from({ length }, () => random.integer(0, 255));
}

interface WriterOptions {
  readonly fault: Fault;
  readonly ping: string | undefined;
  readonly signal: AbortSignal;
}

class FaultyWriter {
  readonly #response: ServerResponse;
  readonly #options: WriterOptions;
  #sent = 0;
  #stallAt: number;

  constructor(response: ServerResponse, options: WriterOptions) {
    this.#response = response;
    this.#options = options;
    this.#stallAt = options.fault.stallAtByte ?? Number.POSITIVE_INFINITY;
  }

  /** Returns false after a cut and after an early end. */
  async write(chunk: Uint8Array): Promise<boolean> {
    const { fault, signal } = this.#options;
    // A ping inside an event would damage it, so a stall with pings waits for the end of the event.
    if (this.#pings && this.#stallAt > this.#sent) this.#stallAt = Math.max(this.#stallAt, this.#sent + chunk.length);
    for (let rest = chunk; ;) {
      if (!(await this.#applyFaults())) return false;
      if (rest.length === 0) return true;
      await wait(fault.slow ?? 0, signal);
      const size = Math.min(rest.length, this.#bytesToNextFault(), fault.chunkSize ?? rest.length);
      await this.#put(rest.subarray(0, size));
      this.#sent += size;
      rest = rest.subarray(size);
    }
  }

  /** Sends nothing but the requested pings. */
  async pause(milliseconds: number): Promise<void> {
    const { fault, ping = '', signal } = this.#options;
    const step = this.#pings ? fault.pingEveryMs! : milliseconds;
    for (let left = milliseconds; left > 0; left -= step) {
      await wait(Math.min(step, left), signal);
      if (this.#pings && left > step) await this.#put(Buffer.from(ping));
    }
  }

  get #pings(): boolean {
    return this.#options.fault.pingEveryMs !== undefined && this.#options.ping !== undefined;
  }

  /** Executes the faults at the current byte. Returns false if the response has ended. */
  async #applyFaults(): Promise<boolean> {
    const { cutAtByte, endAtByte, stallMs = forever } = this.#options.fault;
    if (this.#sent === this.#stallAt) {
      this.#stallAt = Number.POSITIVE_INFINITY;
      await this.pause(stallMs);
    }
    if (this.#sent === endAtByte) this.#response.end();
    if (this.#sent === cutAtByte) this.#response.socket?.destroySoon();
    return this.#sent !== endAtByte && this.#sent !== cutAtByte;
  }

  #bytesToNextFault(): number {
    const { cutAtByte = Number.POSITIVE_INFINITY, endAtByte = Number.POSITIVE_INFINITY } = this.#options.fault;
    const offsets = [cutAtByte, endAtByte, this.#stallAt].filter((offset) => offset > this.#sent);
    return Math.min(...offsets) - this.#sent;
  }

  /** Waits until the bytes are written: Node joins the writes of one tick, and a cut would lose them. */
  async #put(bytes: Uint8Array): Promise<void> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#response.write(bytes, (error) => {
        signal.removeEventListener('abort', onAbort);
        if (error) reject(error);
        else resolve();
      });
    });
  }
}
