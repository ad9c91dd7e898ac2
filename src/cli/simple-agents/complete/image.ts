// An image named on the command line, as a block of a message. What kind it is, its first bytes say; its name
// may say anything.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SimpleAgentsError } from '../../../core/error.ts';
import type { ImageBlock } from '../../../core/message.ts';

/** `place` is a file or an http(s) address; an address is left to the provider to fetch. */
export async function loadImage(place: string, cwd: string): Promise<ImageBlock> {
  if (/^https?:\/\//i.test(place)) return { type: 'image', source: { kind: 'url', url: place } };
  const bytes = await readFile(resolve(cwd, place)).catch((error: NodeJS.ErrnoException) => {
    throw imageError(place, readFailures[error.code ?? ''] ?? `cannot be read (${error.code ?? error.message})`);
  });
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined) throw imageError(place, 'is not a PNG, JPEG, GIF or WebP image; convert it first');
  return { type: 'image', source: { kind: 'base64', mediaType, data: bytes.toString('base64') } };
}

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, not an image',
  EACCES: 'may not be read; check its permissions',
};

/** The four kinds that every provider takes. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

function imageError(place: string, problem: string): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', `--image ${place}: ${problem}`, { field: 'image' });
}
