// A folder for sandbox tests that is visible inside the sandbox, wherever the checkout is. The sandbox hides the temporary
// folders, so neither a checkout nor a Node in one of them can be used there.

import { accessSync, constants, copyFileSync, linkSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const hiddenFolders = ['/tmp', '/var/tmp', '/run', '/dev/shm'];

/** The first that can be seen and written. */
export function visibleBase(): string | undefined {
  const checkout = realpathSync(join(import.meta.dirname, '../../..'));
  const candidates = [join(checkout, 'node_modules/.cache'), join(homedir(), '.cache'), '/var/cache', '/opt', '/srv'];
  return candidates.find((folder) => !isHidden(folder) && isWritable(folder));
}

/** This Node, or a twin of it in the folder. */
export function visibleNode(folder: string): string {
  const node = realpathSync(process.execPath);
  if (!isHidden(node)) return node;
  const twin = join(folder, 'node');
  try {
    linkSync(node, twin);
  } catch {
    copyFileSync(node, twin);
  }
  return twin;
}

function isHidden(path: string): boolean {
  return hiddenFolders.some((folder) => path.startsWith(`${folder}/`));
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
