// Faults that the simulator can inject, as data. A fault comes from a script or from the headers of a request. This file
// defines and validates the fields; it does not execute them.

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
  /** Respond with this HTTP status and an error body. */
  readonly status?: number;
  /** The `Retry-After` header sent with `status`, verbatim: seconds, a date, or an invalid value. */
  readonly retryAfter?: string;
  /** The error's type, as the wire names it, for `status` and `errorAfterEvents`. */
  readonly errorType?: string;
  /** The error's message, for `status` and `errorAfterEvents`. */
  readonly message?: string;
  /** Wait before the response's headers. */
  readonly stallBeforeMs?: number;
  /** Wait between the headers and the first byte of the body. */
  readonly stallBeforeBodyMs?: number;
  /** Wait after this many bytes of the body. */
  readonly stallAtByte?: number;
  /** How long `stallAtByte` waits. Left out: until the client disconnects. */
  readonly stallMs?: number;
  /** Send a ping this often while waiting inside the body. */
  readonly pingEveryMs?: number;
  /** Destroy the connection after exactly this many bytes of the body. */
  readonly cutAtByte?: number;
  /** End the response properly after this many bytes of the body. */
  readonly endAtByte?: number;
  /** Send an error event after this many events of the stream. 0: as the first event. */
  readonly errorAfterEvents?: number;
  /** Milliseconds to wait before each chunk. */
  readonly slow?: number;
  /** Send the body in writes of this many bytes. */
  readonly chunkSize?: number;
  /** The `Content-Type` to send. */
  readonly contentType?: string;
  /** This many random bytes instead of the body. */
  readonly garbage?: number;
  /** Send a data line that is not JSON in the middle of the stream. */
  readonly malformedSse?: boolean;
  /** Compress the body. */
  readonly gzip?: boolean;
  /** Reset the connection before any byte. */
  readonly reset?: boolean;
  /** Damage JSON responses and tool arguments in this way. */
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

/** Throws `bad-request` naming the field. */
export const readFault: Reader<Fault> = (value, path) => {
  const fault = readFields(value, path);
  const at = path === '' ? '' : `${path}.`;
  if (fault.stallMs !== undefined && fault.stallAtByte === undefined) {
    return failAt(`${at}stallMs`, 'requires stallAtByte');
  }
  if (fault.pingEveryMs !== undefined && fault.gzip === true) {
    return failAt(`${at}pingEveryMs`, 'cannot be combined with gzip: pings are not compressed');
  }
  return fault;
};

/** Whether the fault replaces the response of the model: an error status, or a reset connection. */
export function replacesResponse(fault: Fault): boolean {
  return fault.status !== undefined || fault.reset === true;
}
