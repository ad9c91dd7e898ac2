// Shortens a long text to its head and tail. Sizes are UTF-8 bytes; cuts are between characters.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The text itself if it has at most `keep` bytes, else `keep / 2` bytes from each end with the marker between them. */
export function excerpt(text: string, keep: number, marker: (total: number) => string): string {
  // A UTF-16 code unit is at most three bytes in UTF-8.
  if (text.length * 3 <= keep) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= keep) return text;
  const half = Math.floor(keep / 2);
  return excerptOf(bytes.subarray(0, half), bytes.subarray(bytes.length - half), marker(bytes.length));
}

/** The two ends with the marker between them, without the partial characters at the cuts. */
export function excerptOf(head: Uint8Array, tail: Uint8Array, marker: string): string {
  return `${decoder.decode(head.subarray(0, lastBoundary(head)))}${marker}${decoder.decode(tail.subarray(firstBoundary(tail)))}`;
}

/** The end of the last complete character. At most three bytes of a cut character precede the end. */
function lastBoundary(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && isInside(bytes[start])) start -= 1;
  return start + lengthOfCharacter(bytes[start]) > bytes.length ? Math.max(0, start) : bytes.length;
}

function firstBoundary(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isInside(bytes[start])) start += 1;
  return start;
}

/** By its first byte. */
function lengthOfCharacter(first = 0): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

/** A UTF-8 continuation byte. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
