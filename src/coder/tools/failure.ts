// Why a tool could not do what it was asked, in words the model can act on. The dispatcher makes an error result of it.

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
  EACCES: 'may not be accessed: permission denied',
  EPERM: 'may not be changed: not permitted',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the quota is used up',
  ELOOP: 'is a link that leads in a circle, or was exchanged while it was opened',
  ENAMETOOLONG: 'has a name that is too long',
  EMFILE: 'cannot be opened: too many files are open',
  ENXIO: 'is not a regular file',
  EINVAL: 'is not a name this file system accepts',
};

/** A failure as it is; an error of the file system as a sentence about the path. */
export function explain(error: unknown, shown: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const known = explanations[codeOf(error)];
  const problem = known ?? `failed: ${error instanceof Error ? error.message : String(error)}`;
  return new ToolFailure(`${shown} ${problem}.`);
}
