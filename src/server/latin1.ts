// Bytes as a text with one character for each. Such a text can be joined with what stands around it to one write, for which
// Node need not allocate anything; of long ones the copy would cost more than it saves.

/** Bytes up to here are worth it. */
export const longestJoined = 8 * 1024;

export function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
