// Byte helpers that work without Node's Buffer.

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

const sliceLength = 8192;

/** One character for each byte. */
export function toLatin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += sliceLength) {
    text += String.fromCharCode(...bytes.subarray(at, at + sliceLength));
  }
  return text;
}

/** One byte for each character. */
export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const encoder = new TextEncoder();

/** Length of a text in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
