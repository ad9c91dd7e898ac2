// What a client gets of the response to a forwarded request: the complete body, and headers with which a browser saves it
// instead of showing it.

import type { ForwardResponse } from '../../core/forward.ts';

export async function readForwarded({ body }: ForwardResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** For a JSON body. */
export const forwardedJson = { 'content-type': 'application/json', 'content-disposition': 'attachment' } as const;

/** The provider's disposition, of which only the name of the file is kept. */
export function toAttachment(disposition = ''): string {
  const [name = ''] = /;\s*filename\*?=(?:"[^"\\]*"|[\w.'%-]+)/i.exec(disposition) ?? [];
  return `attachment${name}`;
}
