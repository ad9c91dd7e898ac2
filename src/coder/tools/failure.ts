// Why a tool call failed, in words that the model can act on. The dispatcher turns it into an error result.

export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

export function fail(message: string): never {
  throw new ToolFailure(message);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'has a file where a folder should be',
  EISDIR: 'is a folder; list it with Glob',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be changed: operation not permitted',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is exceeded',
  ELOOP: 'is a circular link, or was replaced while it was being opened',
  ENAMETOOLONG: 'has a name that is too long',
  EMFILE: 'cannot be opened: too many files are open',
  ENXIO: 'is not a regular file',
  EINVAL: 'is not a valid name on this file system',
};

/** Returns a ToolFailure unchanged, and turns a file system error into a sentence about the path. */
export function explain(error: unknown, shown: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const known = explanations[codeOf(error)];
  const problem = known ?? `failed: ${error instanceof Error ? error.message : String(error)}`;
  return new ToolFailure(`${shown} ${problem}.`);
}
