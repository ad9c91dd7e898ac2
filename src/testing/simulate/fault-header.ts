// Reads a fault from the headers of a request: `x-simulate-fault` with JSON, or one header for each field
// (`x-simulate-status: 429`, `x-simulate-cut-at: 123`). An unknown name is an error that suggests the nearest valid one.

import type { IncomingHttpHeaders } from 'node:http';

import { isRecord } from '../../core/json.ts';
import { faultNames, readFault, type Fault } from '../model/fault.ts';
import { failAt, unknownName } from '../model/reader.ts';

const prefix = 'x-simulate-';
const whole = 'fault';

/** Header names without the prefix. `cutAtByte` is `cut-at-byte`, or `cut-at` for short. */
const nameByHeader = new Map<string, string>(
  faultNames.flatMap((name) => {
    const header = name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
    return [header, header.replace(/-(?:byte|ms)$/u, '')].map((short) => [short, name] as const);
  }),
);

export function faultOfHeaders(headers: IncomingHttpHeaders): Fault {
  let parts: Record<string, unknown> = {};
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(prefix) || typeof value !== 'string') continue;
    const short = header.slice(prefix.length);
    if (short === whole) parts = { ...parseWhole(value), ...parts };
    else parts[nameOf(short)] = parseValue(value);
  }
  return readFault(parts, '');
}

function nameOf(short: string): string {
  const known = [...nameByHeader.keys(), whole];
  return nameByHeader.get(short) ?? failAt(`${prefix}${short}`, unknownName(short, known));
}

function parseWhole(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // The error below covers this too.
  }
  return failAt(`${prefix}${whole}`, 'must be a JSON object, for example {"status":529,"retryAfter":"2"}');
}

/** Integers and booleans are converted; everything else is text. */
function parseValue(text: string): unknown {
  if (/^-?\d+$/u.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}
