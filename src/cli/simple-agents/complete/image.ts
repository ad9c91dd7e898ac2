// Loads an image from the command line as a block of a message. The media type comes from the first bytes, because a file
// name can be wrong.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SimpleAgentsError } from '../../../core/error.ts';
import type { ImageBlock } from '../../../core/message.ts';

/** `location` is a file or an http(s) URL; the provider fetches a URL. */
export async function loadImage(location: string, cwd: string): Promise<ImageBlock> {
  if (/^https?:\/\//i.test(location)) return { type: 'image', source: { kind: 'url', url: location } };
  const bytes = await readFile(resolve(cwd, location)).catch((error: NodeJS.ErrnoException) => {
    throw imageError(location, readFailures[error.code ?? ''] ?? `cannot be read (${error.code ?? error.message})`);
  });
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined) throw imageError(location, 'is not a PNG, JPEG, GIF or WebP image; convert it first');
  return { type: 'image', source: { kind: 'base64', mediaType, data: bytes.toString('base64') } };
}

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EISDIR: 'is a directory, not an image',
  EACCES: 'permission denied; check the permissions of the file',
};

/** The four media types that every provider accepts. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

function imageError(location: string, problem: string): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', `--image ${location}: ${problem}`, { field: 'image' });
}
