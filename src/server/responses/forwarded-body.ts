// The complete body of a forwarded request.

import type { ForwardResponse } from '../../core/forward.ts';

export async function readForwarded({ body }: ForwardResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
