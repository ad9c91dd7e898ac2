// A text that is too long, with its head and its tail. Counted in bytes of UTF-8, cut between characters.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** At most `keep` bytes of the text, half from each end, with the marker between; the text itself when it is not longer. */
export function excerpt(text: string, keep: number, marker: (total: number) => string): string {
  // No character is more than three bytes for each unit of its length.
  if (text.length * 3 <= keep) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= keep) return text;
  const half = Math.floor(keep / 2);
  return excerptOf(bytes.subarray(0, half), bytes.subarray(bytes.length - half), marker(bytes.length));
}

/** The two ends with the marker between, without the halves of characters they were cut in. */
export function excerptOf(head: Uint8Array, tail: Uint8Array, marker: string): string {
  return `${decoder.decode(head.subarray(0, lastBoundary(head)))}${marker}${decoder.decode(tail.subarray(firstBoundary(tail)))}`;
}

/** Where a character ends that is whole: the one being cut has at most three bytes before it. */
function lastBoundary(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && isInside(bytes[start])) start -= 1;
  return start + lengthOfCharacter(bytes[start]) > bytes.length ? Math.max(0, start) : bytes.length;
}

function firstBoundary(bytes: Uint8Array): number {
  let place = 0;
  while (place < 3 && isInside(bytes[place])) place += 1;
  return place;
}

/** By its first byte. */
function lengthOfCharacter(first = 0): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

/** A byte that continues a character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
