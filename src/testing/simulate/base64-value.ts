// Checks of bytes in a request. Most APIs accept the standard alphabet only; Google's accept both, each without the other.

import { isStandardBase64, toStandardBase64 } from '../../core/base64.ts';

/** Whether this is base64 in the standard alphabet with padding, and not empty. */
export function isBase64(data: unknown): boolean {
  return typeof data === 'string' && data !== '' && isStandardBase64(data);
}

/** Whether this is base64 in one of the two alphabets, with or without padding. */
export function isAnyBase64(data: string): boolean {
  const isMixed = /[-_]/.test(data) && /[+/]/.test(data);
  return !isMixed && !/\s/.test(data) && isStandardBase64(toStandardBase64(data));
}

/** The data of a data URL in base64; undefined for anything else. */
export function dataOfUrl(url: string): string | undefined {
  return url.startsWith('data:') ? /^data:[^,]*;base64,/.exec(url)?.[0] && url.slice(url.indexOf(',') + 1) : undefined;
}
