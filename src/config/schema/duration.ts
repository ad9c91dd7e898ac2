// Lengths of time as people write them: "30s", "250ms", "1m30s". In the program they are milliseconds.

import { SimpleAgentsError } from '../../core/error.ts';

const units: readonly (readonly [name: string, milliseconds: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** The longest wait a timer can be set to; a longer one would fire at once. */
export const longestTimer = 2 ** 31 - 1;

/** Throws `configuration`, saying how to write it. */
export function parseDuration(text: string): number {
  const part = /(\d+(?:\.\d+)?)(ms|[dhms])/y;
  let total = 0;
  let rank = -1;
  while (part.lastIndex < text.length || rank === -1) {
    const match = part.exec(text);
    if (match === null) throw durationError(text);
    const next = units.findIndex(([name]) => name === match[2]);
    if (next <= rank) throw durationError(text, 'its units must go from the largest to the smallest, each once');
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

/** How to write a number that came without a unit. */
export function unitHint(bare: number | string): string {
  return `write "${bare}s" for seconds or "${bare}ms" for milliseconds`;
}
