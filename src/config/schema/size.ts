// Amounts of memory as people write them: "64MB", "1.5GB". In the program they are bytes; a KB is 1024 of them.

import { SimpleAgentsError } from '../../core/error.ts';

const units: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Throws `configuration`, saying how to write it. */
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

/** How to write a number that came without a unit. */
export function sizeHint(bare: number | string): string {
  return `write "${bare}MB" for megabytes or "${bare}B" for bytes`;
}
