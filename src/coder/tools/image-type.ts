// Which kinds of images models can look at, told by their first bytes: names lie.

const types: readonly { readonly mediaType: string; readonly starts: (bytes: string) => boolean }[] = [
  { mediaType: 'image/png', starts: (bytes) => bytes.startsWith('\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', starts: (bytes) => bytes.startsWith('\xff\xd8\xff') },
  { mediaType: 'image/gif', starts: (bytes) => /^GIF8[79]a/.test(bytes) },
  { mediaType: 'image/webp', starts: (bytes) => /^RIFF[^]{4}WEBP/.test(bytes) },
];

export function imageTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 16);
  return types.find(({ starts }) => starts(head))?.mediaType;
}
