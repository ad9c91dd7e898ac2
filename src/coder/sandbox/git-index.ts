// Finds the nested repositories in a git index (gitlinks, mode 160000). `git status` runs git in each of them with the
// settings of their own `.git`, whether or not `.gitmodules` lists them.
// The format is gitformat-index, versions 2 to 4, with hashes of 20 or 32 bytes.

const gitlinkMode = 0o160000;
const headerSize = 12;
/** Times, device, inode, mode, owner and size: the fields before the hash of an entry. */
const statusSize = 40;
const modeOffset = 24;

/** Paths relative to the top of the checkout; empty if the bytes are not an index. */
export function parseGitlinks(index: Buffer, hashSize: 20 | 32 = 20): string[] {
  if (index.length < headerSize || index.toString('latin1', 0, 4) !== 'DIRC') return [];
  const version = index.readUInt32BE(4);
  const found: string[] = [];
  let name: Buffer = Buffer.alloc(0);
  let at = headerSize;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + statusSize + hashSize;
    if (flagsAt + 2 > index.length) break;
    const isExtended = version >= 3 && (index.readUInt16BE(flagsAt) & 0x4000) !== 0;
    const nameAt = flagsAt + (isExtended ? 4 : 2);
    const isGitlink = index.readUInt32BE(at + modeOffset) === gitlinkMode;
    const read = version === 4 ? readCompressed(index, nameAt, name) : readPadded(index, nameAt, at);
    if (read === undefined) break;
    name = read.name;
    at = read.next;
    if (isGitlink) found.push(name.toString('utf8'));
  }
  return found;
}

interface ReadName {
  readonly name: Buffer;
  readonly next: number;
}

/** Up to version 3, an entry is padded with one to eight zeros to a multiple of eight bytes. */
function readPadded(index: Buffer, from: number, entry: number): ReadName | undefined {
  const end = index.indexOf(0, from);
  if (end === -1) return undefined;
  return { name: index.subarray(from, end), next: entry + (Math.floor((end - entry) / 8) + 1) * 8 };
}

/** In version 4: the number of bytes to drop from the end of the previous name, then the text to append. */
function readCompressed(index: Buffer, from: number, before: Buffer): ReadName | undefined {
  let at = from;
  let byte = index[at] ?? 0;
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = index[at] ?? 0;
    dropped = (dropped + 1) * 128 + (byte & 0x7f);
  }
  const end = index.indexOf(0, at + 1);
  if (end === -1 || dropped > before.length) return undefined;
  const name = Buffer.concat([before.subarray(0, before.length - dropped), index.subarray(at + 1, end)]);
  return { name, next: end + 1 };
}
