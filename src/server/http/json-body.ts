// Reads the JSON body of a request. Checks its content type, size, depth and number of values, and that the memory shared by
// all bodies has room for it. The HTTP server limits the time a request may take to arrive, so nothing here waits forever.

import type { IncomingMessage } from 'node:http';

import { sharedMacrotask } from '../../core/macrotask.ts';
import type { BodyMemory, BodyShare } from './body-memory.ts';
import { throwHttpError } from './http-error.ts';
import { JsonMeter } from './json-meter.ts';
import type { WorkTurns } from './work-turns.ts';

/** More levels than any schema or tool input needs, and few enough for recursive functions. */
const maxDepth = 256;

/** For larger bodies, the copies made of them count as well. */
const smallBody = 1024 * 1024;

/** The parsed body and the one sent to the provider. Measured: 8 bodies of 30 MB retain 480 MB. */
const additionalCopies = 2;

/**
 * Bytes for each value: parsed, decoded and encoded again. Measured: 100,000 values take between 3 MB (texts) and 23 MB
 * (messages).
 */
const valueMemory = 256;

/** Bodies with more bytes or values are read in steps. A step of a smaller one takes a few milliseconds. */
const stepBytes = 512 * 1024;
const stepValues = 5000;

/** The limits of one body. */
export interface BodyLimits {
  /** In bytes. */
  readonly bodyLimit: number;
  readonly maxBodyValues: number;
}

/** What all bodies of a server share. */
export interface BodyResources {
  readonly memory: BodyMemory;
  readonly turns: WorkTurns;
}

export interface BodyOptions extends BodyResources {
  readonly limits: BodyLimits;
  readonly share: BodyShare;
  /** Whose share of the memory and turns it is. */
  readonly owner: string;
}

/** Checks what the request's headers already show. Throws 413, 415 or 503. */
export function checkHead(
  request: IncomingMessage,
  { limits, memory, owner }: Pick<BodyOptions, 'limits' | 'memory' | 'owner'>,
): void {
  checkContentType(request);
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limits.bodyLimit) tooLarge(limits);
  if (!memory.hasRoom(length, owner)) noRoom();
}

function checkContentType({ headers }: IncomingMessage): void {
  // A page may send forms and plain text to another origin without a preflight request.
  if (!isJson(headers['content-type'])) throwHttpError(415, 'send the body as "content-type: application/json"');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throwHttpError(415, 'send the body without a content-encoding');
}

function isJson(type: string | undefined): boolean {
  const json = 'application/json';
  return type === json || type?.split(';', 1)[0]?.trim().toLowerCase() === json;
}

/** Call `checkHead` first. */
export function readJson(request: IncomingMessage, options: BodyOptions): Promise<ParsedBody> {
  const { promise, resolve, reject } = Promise.withResolvers<ParsedBody>();
  const body = new JsonBody(options);
  const chunks: Buffer[] = [];
  const guard = (step: () => void) => {
    try {
      step();
    } catch (error) {
      request.removeAllListeners('data');
      chunks.length = 0;
      options.share.release();
      reject(error);
    }
  };
  request.on('data', (chunk: Buffer) => {
    guard(() => {
      body.take(chunk.length);
      body.measure(chunk);
      chunks.push(chunk);
    });
  });
  request.on('end', () => {
    // Emptied, because the listeners live as long as the response and would keep a long prompt in memory.
    guard(() => void body.parse(Buffer.concat(chunks.splice(0))).then(resolve, reject));
  });
  request.on('error', reject);
  return promise;
}

export interface ParsedBody {
  readonly value: unknown;
  /** Waits before the next long step. Undefined for a body that takes no long steps. */
  readonly pace: (() => Promise<void>) | undefined;
}

/** A body while it arrives. Each method throws what the client gets if the body is refused. */
export class JsonBody {
  readonly #options: BodyOptions;
  readonly #meter = new JsonMeter();
  #length = 0;
  #values = 0;

  constructor(options: BodyOptions) {
    this.#options = options;
  }

  /** Takes memory for bytes that have arrived. Throws 413 or 503. */
  take(bytes: number): void {
    const { limits, share } = this.#options;
    this.#length += bytes;
    if (this.#length > limits.bodyLimit) tooLarge(limits);
    if (!share.take(bytes)) noRoom();
  }

  /** Takes memory for the values in bytes that have arrived. Throws 400, 413 or 503. */
  measure(bytes: Uint8Array): void {
    const { limits, share } = this.#options;
    this.#meter.push(bytes);
    const { values, deepest } = this.#meter;
    if (deepest > maxDepth) tooDeep();
    if (values > limits.maxBodyValues) tooMany(limits);
    if (!share.take((values - this.#values) * valueMemory)) noRoom();
    this.#values = values;
  }

  /** Parses a body that has arrived as a whole and whose bytes were taken. */
  async read(bytes: Buffer): Promise<ParsedBody> {
    const { turns, owner } = this.#options;
    if (bytes.length > stepBytes) await turns.next(owner);
    this.measure(bytes);
    return this.parse(bytes);
  }

  /** Throws 503 if there is no memory for the copies, then 400 if the text is not JSON. */
  parse(bytes: Buffer): Promise<ParsedBody> {
    const isLarge = bytes.length > stepBytes || this.#values > stepValues;
    this.#takeCopies(bytes.length);
    return isLarge
      ? this.#parseInSteps(bytes)
      : sharedMacrotask().then(() => ({ value: parseJson(bytes.toString('utf8')), pace: undefined }));
  }

  async #parseInSteps(bytes: Buffer): Promise<ParsedBody> {
    const { turns, owner } = this.#options;
    const pace = () => turns.next(owner);
    await pace();
    const text = bytes.toString('utf8');
    await pace();
    const value = parseJson(text);
    await pace();
    return { value, pace };
  }

  #takeCopies(length: number): void {
    if (length <= smallBody) return;
    const width = this.#meter.isWide ? 2 : 1;
    if (!this.#options.share.take(length * width * additionalCopies)) noRoom();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return throwHttpError(400, text.trim() === '' ? 'the body is empty' : 'the body is not valid JSON');
  }
}

function tooLarge({ bodyLimit }: BodyLimits): never {
  return throwHttpError(413, `the body is larger than ${bodyLimit} bytes`, { drain: true });
}

function tooMany({ maxBodyValues }: BodyLimits): never {
  const message = `the body has more than ${maxBodyValues} objects, arrays and texts (max_body_values); send fewer`;
  return throwHttpError(413, message, { drain: true });
}

function tooDeep(): never {
  return throwHttpError(400, `the body is nested more than ${maxDepth} levels deep`, { drain: true });
}

export function noRoom(): never {
  return throwHttpError(503, 'the memory for request bodies is in use by other requests; try again later', {
    kind: 'overloaded',
    drain: true,
    headers: { 'retry-after': '1' },
  });
}
