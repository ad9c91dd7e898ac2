// Parses durations such as "30s", "250ms" or "1m30s" to milliseconds.

import { SimpleAgentsError } from '../../core/error.ts';

const units: readonly (readonly [name: string, milliseconds: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** The maximum delay of a timer in milliseconds; with a longer delay it would fire immediately. */
export const longestTimer = 2 ** 31 - 1;

/** Throws a `configuration` error that shows the right form. */
export function parseDuration(text: string): number {
  const part = /(\d+(?:\.\d+)?)(ms|[dhms])/y;
  let total = 0;
  let rank = -1;
  while (part.lastIndex < text.length || rank === -1) {
    const match = part.exec(text);
    if (match === null) throw durationError(text);
    const next = units.findIndex(([name]) => name === match[2]);
    if (next <= rank) throw durationError(text, 'write each unit once, from the largest to the smallest');
    rank = next;
    total += Number(match[1]) * (units[next]?.[1] ?? 0);
  }
  const milliseconds = Math.round(total);
  if (!Number.isSafeInteger(milliseconds)) throw durationError(text, 'it is too long');
  return milliseconds;
}

function durationError(text: string, reason?: string): SimpleAgentsError {
  const quoted = JSON.stringify(text);
  const problem = /^\d+(\.\d+)?$/.test(text)
    ? `${quoted} has no unit; ${unitHint(text)}`
    : `${quoted} is not a duration: ${reason ?? 'write it like "30s", "250ms" or "1m30s" (units: d, h, m, s, ms)'}`;
  return new SimpleAgentsError('configuration', problem);
}

/** How to add a unit to a bare number. */
export function unitHint(bare: number | string): string {
  return `write "${bare}s" for seconds or "${bare}ms" for milliseconds`;
}
