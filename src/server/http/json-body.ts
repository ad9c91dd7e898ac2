// Reads the JSON body of a request. Checks its content type, size and depth, and that the memory shared by all bodies has
// room for it. The HTTP server limits the time a request may take to arrive, so nothing here waits forever.

import type { IncomingMessage } from 'node:http';

import { sharedMacrotask } from '../../core/macrotask.ts';
import type { BodyMemory, BodyShare } from './body-memory.ts';
import { throwHttpError } from './http-error.ts';

/** More levels than any schema or tool input needs, and few enough for recursive functions. */
const maxDepth = 256;

/** For larger bodies, the copies made of them count as well. */
const smallBody = 1024 * 1024;

/** The parsed body and the one sent to the provider. Measured: 8 bodies of 30 MB retain 480 MB. */
const additionalCopies = 2;

export interface BodyLimits {
  /** Size limit of one body, in bytes. */
  readonly limit: number;
  /** The memory for all bodies. */
  readonly memory: BodyMemory;
  readonly share: BodyShare;
}

/** Checks what the request's headers already show. Throws 413, 415 or 503. */
export function checkHead(request: IncomingMessage, { limit, memory }: BodyLimits): void {
  checkContentType(request);
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit) tooLarge(limit);
  if (!memory.hasRoom(length)) noRoom();
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
export function readJson(request: IncomingMessage, { limit, share }: BodyLimits): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const chunks: Buffer[] = [];
  let length = 0;
  const stop = (fail: () => never): void => {
    request.removeAllListeners('data');
    chunks.length = 0;
    share.release();
    reject(catchThrown(fail));
  };
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) stop(() => tooLarge(limit));
    else if (share.take(chunk.length)) chunks.push(chunk);
    else stop(noRoom);
  });
  request.on('end', () => {
    if (!takeCopies(share, length)) return stop(noRoom);
    // Emptied, because the listeners live as long as the response and would keep a long prompt in memory.
    const bytes = Buffer.concat(chunks.splice(0));
    sharedMacrotask()
      .then(() => resolve(parseJson(bytes.toString('utf8'))))
      .catch(reject);
  });
  request.on('error', reject);
  return promise;
}

/** Takes the memory of a body that has arrived as a whole. Throws 503 if there is none. */
export function takeBody(share: BodyShare, length: number): void {
  if (!share.take(length) || !takeCopies(share, length)) noRoom();
}

function takeCopies(share: BodyShare, length: number): boolean {
  return length <= smallBody || share.take(length * additionalCopies);
}

function tooLarge(limit: number): never {
  return throwHttpError(413, `the body is larger than ${limit} bytes`, { close: true });
}

function noRoom(): never {
  return throwHttpError(503, 'the memory for request bodies is in use by other requests; try again later', {
    kind: 'overloaded',
    close: true,
    headers: { 'retry-after': '1' },
  });
}

function catchThrown(step: () => never): Error {
  try {
    return step();
  } catch (error) {
    return error as Error;
  }
}

/** Throws 400 for what is not JSON or is nested too deeply. */
export function parseJson(text: string): unknown {
  const value = parseText(text);
  if (isObject(value) && isDeeper(value, maxDepth + 1))
    throwHttpError(400, `the body is nested more than ${maxDepth} levels deep`);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return throwHttpError(400, text.trim() === '' ? 'the body is empty' : 'the body is not valid JSON');
  }
}

/** Recurses at most `levels` deep. */
function isDeeper(value: object, levels: number): boolean {
  return levels === 0 || Object.values(value).some((child) => isObject(child) && isDeeper(child, levels - 1));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
