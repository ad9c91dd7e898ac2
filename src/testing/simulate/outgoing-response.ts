// Sends a response, with the faults that happen to bytes: silence, a cut, an early end, odd chunks, nonsense.
// Invariant: byte counts are those of the body as it is sent, after compression and before transfer coding.

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
  /** A text goes out with its length; chunks go out as they come. */
  readonly body: string | AsyncIterable<string>;
  /** Sent during a silence inside the body. Without one, silence is silent. */
  readonly ping?: string;
}

/** A stall without an end lasts as long as a timer can. */
const forever = 2 ** 31 - 1;

/** Resolves when the last byte is out or the connection is cut. Rejects when the client goes away. */
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
  if (fault.garbage !== undefined) return [nonsense(fault.garbage)];
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

async function* toBytes(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}

/** Every chunk is flushed: a compressed stream is still a stream. */
async function* compress(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const done = pipeline(chunks, gzip);
  // The error reaches the reader through the stream itself.
  done.catch(() => {});
  yield* gzip;
}

function nonsense(length: number): Uint8Array {
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

  /** Whether there is more to come: no after a cut and after an early end. */
  async write(chunk: Uint8Array): Promise<boolean> {
    const { fault, signal } = this.#options;
    // A ping in the middle of an event would spoil it, so a silence with pings waits for the event's end.
    if (this.#pings && this.#stallAt > this.#sent) this.#stallAt = Math.max(this.#stallAt, this.#sent + chunk.length);
    for (let rest = chunk; ;) {
      if (!(await this.#arrive())) return false;
      if (rest.length === 0) return true;
      await wait(fault.slow ?? 0, signal);
      const size = Math.min(rest.length, this.#untilMark(), fault.chunkSize ?? rest.length);
      await this.#put(rest.subarray(0, size));
      this.#sent += size;
      rest = rest.subarray(size);
    }
  }

  /** Silence, with pings where they were asked for. */
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

  /** What happens at this byte. */
  async #arrive(): Promise<boolean> {
    const { cutAtByte, endAtByte, stallMs = forever } = this.#options.fault;
    if (this.#sent === this.#stallAt) {
      this.#stallAt = Number.POSITIVE_INFINITY;
      await this.pause(stallMs);
    }
    if (this.#sent === endAtByte) this.#response.end();
    if (this.#sent === cutAtByte) this.#response.socket?.destroySoon();
    return this.#sent !== endAtByte && this.#sent !== cutAtByte;
  }

  #untilMark(): number {
    const { cutAtByte = Number.POSITIVE_INFINITY, endAtByte = Number.POSITIVE_INFINITY } = this.#options.fault;
    const marks = [cutAtByte, endAtByte, this.#stallAt].filter((mark) => mark > this.#sent);
    return Math.min(...marks) - this.#sent;
  }

  /** Waits until the bytes have left us: Node joins what is written in one turn, and a cut would lose it. */
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
