// Vectors as base64 of little-endian 32-bit floats, the compact form of OpenAI's embeddings API.

import { fromLatin1, toLatin1 } from '../../core/bytes.ts';
import type { EmbeddingVector } from '../../core/embedding.ts';

const bytesPerNumber = 4;

/** Rounds to 32 bits. */
export function encodeVector(vector: EmbeddingVector): string {
  const view = new DataView(new ArrayBuffer(vector.length * bytesPerNumber));
  for (const [index, value] of vector.entries()) view.setFloat32(index * bytesPerNumber, value, true);
  return btoa(toLatin1(new Uint8Array(view.buffer)));
}

/** `undefined` if the text is not base64 of complete floats. */
export function decodeVector(text: string): number[] | undefined {
  const bytes = bytesOf(text);
  if (bytes === undefined || bytes.length % bytesPerNumber !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / bytesPerNumber }, (_, index) =>
    view.getFloat32(index * bytesPerNumber, true),
  );
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return fromLatin1(atob(text));
  } catch {
    return undefined;
  }
}
