// Parses sizes such as "64MB" or "1.5GB" to bytes. 1 KB is 1024 bytes.

import { SimpleAgentsError } from '../../core/error.ts';

const units: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Throws a `configuration` error that shows the right form. */
export function parseSize(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([KMG]?B)$/i.exec(text) ?? [];
  const bytes = Math.round(Number(amount) * (units[unit.toUpperCase()] ?? Number.NaN));
  if (Number.isSafeInteger(bytes)) return bytes;
  const quoted = JSON.stringify(text);
  const problem = /^\d+(\.\d+)?$/.test(text)
    ? `${quoted} has no unit; ${sizeHint(text)}`
    : `${quoted} is not a size: write it like "64MB" or "1.5GB" (units: B, KB, MB, GB)`;
  throw new SimpleAgentsError('configuration', problem);
}

/** How to add a unit to a bare number. */
export function sizeHint(bare: number | string): string {
  return `write "${bare}MB" for megabytes or "${bare}B" for bytes`;
}
