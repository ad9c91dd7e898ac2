// The JSON body of a request, within limits: how large, how deep, declared as JSON, and with room in the memory that all
// bodies share. The HTTP server limits the time a request may take to arrive, so nothing here waits without end.

import type { IncomingMessage } from 'node:http';

import { sharedMacrotask } from '../../core/macrotask.ts';
import type { BodyMemory, BodyShare } from './body-memory.ts';
import { throwHttpError } from './http-error.ts';

/** Deeper than any schema or tool input, and far from what a recursive reader could not follow. */
const deepest = 256;

/** Of longer bodies, the copies that are made of them count as well. */
const smallBody = 1024 * 1024;

/** Beside the bytes themselves: as parsed, and as sent to the provider. Measured: 8 bodies of 30 MB retain 480 MB. */
const furtherCopies = 2;

export interface BodyLimits {
  /** Bytes that one body may have. */
  readonly limit: number;
  /** Of the memory for all bodies. */
  readonly memory: BodyMemory;
  readonly share: BodyShare;
}

/** Throws at once what can be told from the head of a request. */
export function checkHead(request: IncomingMessage, { limit, memory }: BodyLimits): void {
  checkForm(request);
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit) tooLarge(limit);
  if (!memory.hasRoom(length)) noRoom();
}

function checkForm({ headers }: IncomingMessage): void {
  // A form or plain text is what a page may send across origins without being asked.
  if (!isJson(headers['content-type'])) throwHttpError(415, 'send the body as "content-type: application/json"');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throwHttpError(415, 'send the body without a content-encoding');
}

function isJson(type: string | undefined): boolean {
  const json = 'application/json';
  return type === json || type?.split(';', 1)[0]?.trim().toLowerCase() === json;
}

/** After `checkHead`. */
export function readJson(request: IncomingMessage, { limit, share }: BodyLimits): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const chunks: Buffer[] = [];
  let length = 0;
  const stop = (refusal: () => never): void => {
    request.removeAllListeners('data');
    chunks.length = 0;
    share.release();
    reject(catchThrown(refusal));
  };
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) stop(() => tooLarge(limit));
    else if (share.take(chunk.length)) chunks.push(chunk);
    else stop(noRoom);
  });
  request.on('end', () => {
    if (length > smallBody && !share.take(length * furtherCopies)) return stop(noRoom);
    // The listeners stay for as long as the answer takes, and must not keep a long prompt until then.
    const bytes = Buffer.concat(chunks.splice(0));
    sharedMacrotask()
      .then(() => resolve(parse(bytes.toString('utf8'))))
      .catch(reject);
  });
  request.on('error', reject);
  return promise;
}

function tooLarge(limit: number): never {
  return throwHttpError(413, `the body is larger than ${limit} bytes`, { close: true });
}

function noRoom(): never {
  return throwHttpError(503, 'the bodies of other requests take all the memory there is for them; try again', {
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

function parse(text: string): unknown {
  const value = parseText(text);
  if (isObject(value) && isDeeper(value, deepest + 1))
    throwHttpError(400, `the body is nested more than ${deepest} levels deep`);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return throwHttpError(400, text.trim() === '' ? 'the body is empty' : 'the body is not valid JSON');
  }
}

/** Goes no deeper than that itself. */
function isDeeper(value: object, levels: number): boolean {
  return levels === 0 || Object.values(value).some((child) => isObject(child) && isDeeper(child, levels - 1));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
