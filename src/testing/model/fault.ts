// What can go wrong on purpose, as data. A fault is written in a script or in a request's headers; this file knows the
// names and what they hold, not how they are done.

import { damageKinds, type DamageKind } from '../damage/damage.ts';
import {
  booleanReader,
  choiceReader,
  integerReader,
  objectReader,
  failAt,
  stringReader,
  type Reader,
} from './reader.ts';

export interface Fault {
  /** Answer with this HTTP status and an error body instead of an answer. */
  readonly status?: number;
  /** The `Retry-After` header beside `status`, verbatim: seconds, a date, or nonsense. */
  readonly retryAfter?: string;
  /** The error's type, in the wire's own words, for `status` and `errorAfterEvents`. */
  readonly errorType?: string;
  /** The error's message, for `status` and `errorAfterEvents`. */
  readonly message?: string;
  /** Wait before the response's headers. */
  readonly stallBeforeMs?: number;
  /** Wait between the headers and the first byte of the body. */
  readonly stallBeforeBodyMs?: number;
  /** Wait after this many bytes of the body. */
  readonly stallAtByte?: number;
  /** How long `stallAtByte` waits; left out: until the client goes away. */
  readonly stallMs?: number;
  /** Send a ping this often while waiting inside the body. */
  readonly pingEveryMs?: number;
  /** Destroy the connection after exactly this many bytes of the body. */
  readonly cutAtByte?: number;
  /** End the response properly after this many bytes of the body. */
  readonly endAtByte?: number;
  /** Send an error event after this many events of the stream; 0: as the first thing. */
  readonly errorAfterEvents?: number;
  /** Milliseconds to wait before each chunk. */
  readonly slow?: number;
  /** Send the body in writes of this many bytes. */
  readonly chunkSize?: number;
  /** The `Content-Type` to claim. */
  readonly contentType?: string;
  /** This many bytes of nonsense instead of the body. */
  readonly garbage?: number;
  /** A data line that is not JSON in the middle of the stream. */
  readonly malformedSse?: boolean;
  /** Compress the body. */
  readonly gzip?: boolean;
  /** Reset the connection before any byte. */
  readonly reset?: boolean;
  /** Damage JSON answers and tool arguments in this way. */
  readonly damage?: DamageKind;
  /** Leave out the stream's closing event. */
  readonly omitDone?: boolean;
  /** Report no token counts. */
  readonly omitUsage?: boolean;
}

export type FaultName = keyof Fault;

const milliseconds = integerReader(0, 2 ** 31 - 1);
const bytes = integerReader(0);
const garbageLength = 512;

const readers: { readonly [Name in FaultName]-?: Reader<NonNullable<Fault[Name]>> } = {
  status: integerReader(400, 599),
  retryAfter: (value, path) => (typeof value === 'number' ? String(value) : stringReader(value, path)),
  errorType: stringReader,
  message: stringReader,
  stallBeforeMs: milliseconds,
  stallBeforeBodyMs: milliseconds,
  stallAtByte: bytes,
  stallMs: milliseconds,
  pingEveryMs: integerReader(1, 2 ** 31 - 1),
  cutAtByte: bytes,
  endAtByte: bytes,
  errorAfterEvents: integerReader(0),
  slow: milliseconds,
  chunkSize: integerReader(1),
  contentType: stringReader,
  garbage: (value, path) => (value === true ? garbageLength : integerReader(1, 2 ** 20)(value, path)),
  malformedSse: booleanReader,
  gzip: booleanReader,
  reset: booleanReader,
  damage: choiceReader(damageKinds),
  omitDone: booleanReader,
  omitUsage: booleanReader,
};

export const faultNames = Object.keys(readers) as readonly FaultName[];

const readFields = objectReader<Fault>(readers);

/** The fault, or `bad-request` naming the place. */
export const readFault: Reader<Fault> = (value, path) => {
  const fault = readFields(value, path);
  const at = path === '' ? '' : `${path}.`;
  if (fault.stallMs !== undefined && fault.stallAtByte === undefined) {
    return failAt(`${at}stallMs`, 'needs stallAtByte beside it');
  }
  if (fault.pingEveryMs !== undefined && fault.gzip === true) {
    return failAt(`${at}pingEveryMs`, 'cannot stand beside gzip: a ping would not be compressed');
  }
  return fault;
};

/** Whether the fault needs no answer of the model: the connection or the status says it all. */
export function replacesResponse(fault: Fault): boolean {
  return fault.status !== undefined || fault.reset === true;
}
