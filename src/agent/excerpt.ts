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
  const head = bytes.subarray(0, boundaryBefore(bytes, half));
  const tail = bytes.subarray(boundaryAfter(bytes, bytes.length - half));
  return `${decoder.decode(head)}${marker(bytes.length)}${decoder.decode(tail)}`;
}

function boundaryBefore(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place > 0 && isInside(bytes[place])) place -= 1;
  return place;
}

function boundaryAfter(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place < bytes.length && isInside(bytes[place])) place += 1;
  return place;
}

/** A byte that continues a character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
