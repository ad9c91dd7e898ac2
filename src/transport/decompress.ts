// Decodes the content codings of a response body. The decoded size is capped, see content-coding.ts.

import type { Duplex } from 'node:stream';
import { SimpleAgentsError } from '../core/error.ts';
import { codingsOf, findUndecodable, tooLarge } from './content-coding.ts';

/** The codings we can decode, as the value of an accept-encoding header. */
export const acceptedEncodings = 'gzip, deflate, br, zstd';

/** The decoded body; `encoding` is the value of the content-encoding header. */
export function decompress(body: AsyncIterable<Uint8Array>, encoding: string, cap: number): AsyncIterable<Uint8Array> {
  const codings = codingsOf(encoding);
  const problem = findUndecodable(codings);
  if (problem !== undefined) return failingBody(body, problem);
  return codings.reduceRight((inner, name) => decode(inner, name, cap), body);
}

/** Fails when the body is read, not before: a caller that reads only the status still gets it. */
// oxlint-disable-next-line require-yield -- there is nothing to yield
export async function* failingBody(
  body: AsyncIterable<Uint8Array>,
  problem: SimpleAgentsError,
): AsyncGenerator<Uint8Array> {
  await body[Symbol.asyncIterator]().return?.();
  throw problem;
}

async function* decode(body: AsyncIterable<Uint8Array>, encoding: string, cap: number): AsyncGenerator<Uint8Array> {
  const source = new CompressedBody(body);
  const { Readable, pipeline } = process.getBuiltinModule('node:stream');
  try {
    const decoder = createDecoder(encoding, await source.peek());
    // The loop below throws the errors; the callback only prevents that they are thrown twice.
    pipeline(Readable.from(source, { objectMode: false }), decoder, () => undefined);
    let total = 0;
    for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
      total += chunk.length;
      if (total > cap) throw tooLarge(cap);
      yield chunk;
    }
  } catch (error) {
    if (source.failure !== undefined) throw source.failure.error;
    throw error instanceof SimpleAgentsError ? error : malformed(encoding, error);
  } finally {
    await source.return();
  }
}

/** Loads zlib on first use, because most responses are not compressed. */
function createDecoder(encoding: string, firstChunk: Uint8Array | undefined): Duplex {
  const zlib = process.getBuiltinModule('node:zlib');
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return zlib.createZstdDecompress();
    default:
      // Deflate. Some servers send raw deflate under this name; the zlib format begins with method 8.
      return (firstChunk?.[0] ?? 8) % 16 === 8 ? zlib.createInflate() : zlib.createInflateRaw();
  }
}

/** The compressed body. Its first chunk can be peeked at, and its failure is kept apart from the decoder's. */
class CompressedBody implements AsyncIterableIterator<Uint8Array> {
  failure: { readonly error: unknown } | undefined;
  readonly #body: AsyncIterator<Uint8Array>;
  #peeked: IteratorResult<Uint8Array> | undefined;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body[Symbol.asyncIterator]();
  }

  async peek(): Promise<Uint8Array | undefined> {
    this.#peeked = await this.next();
    return this.#peeked.done ? undefined : this.#peeked.value;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const peeked = this.#peeked;
    this.#peeked = undefined;
    if (peeked !== undefined) return peeked;
    try {
      return await this.#body.next();
    } catch (error) {
      this.failure = { error };
      // Node streams expect an Error; the reason of an abort may be anything.
      throw error instanceof Error ? error : new Error('the body failed', { cause: error });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#body.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function malformed(encoding: string, cause: unknown): SimpleAgentsError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `the response is declared as ${encoding} but cannot be decoded (${reason})`;
  return new SimpleAgentsError('bad-response', message, { cause });
}
