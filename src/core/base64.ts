// Base64 without Node's Buffer. Clients write either alphabet, with or without padding; what we send is in the standard
// alphabet with padding, which every provider and client reads.

import { fromLatin1, toLatin1 } from './bytes.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Of a text's UTF-8. */
export function toBase64(text: string): string {
  return btoa(toLatin1(encoder.encode(text)));
}

/** The text of standard base64. */
export function fromBase64(base64: string): string {
  return decoder.decode(fromLatin1(atob(base64)));
}

const foreign = ['-', '_', '\n', '\r', ' ', '\t'];

/**
 * The same bytes in the standard alphabet, with padding and without white space. Text that is not base64 stays wrong. A
 * search for single characters is used because the data may be 30 MB, which a pattern takes ten times as long to check.
 */
export function toStandardBase64(base64: string): string {
  if (base64.length % 4 === 0 && !foreign.some((character) => base64.includes(character))) return base64;
  const digits = base64
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[\s=]+/g, '');
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, '=');
}

/** Whether this is base64 in the standard alphabet with padding. Slow for megabytes. */
export function isStandardBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding));
}
