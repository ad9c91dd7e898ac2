// Sets up a checkout for one of three purposes:
//   run      the npm packages that SimpleAgents needs to run, the pinned Node, and the gateway's compiled page; no system
//            packages
//   develop  also the development dependencies
//   test     also the Debian packages that tests use
// `node scripts/setup.mjs [PURPOSE]`, by default `test`. Plain JavaScript for Node 18 and later, because it runs before
// anything is installed.
// Invariants: concurrent runs do the work once; an interrupted setup is repeated; if there is nothing to do, it only hashes
// three lockfiles and reads the times of the page's sources.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { countPackages, installedExtent, installPackages, lastExtent } from './npm-packages.mjs';
import { isPageReady, preparePage } from './page.mjs';
import { modulesFolder, modulesOwner, nodeFolders, nodeIn, root } from './pinned-node.mjs';
import { say, step } from './progress.mjs';
import { installSystemPackages, missingSystemPackages } from './system-packages.mjs';

/** @typedef {'run' | 'develop' | 'test'} Purpose */

export const purposes = ['run', 'develop', 'test'];
const ownNodeFolder = join(root, 'tools/node');
const nodeLockfile = join(ownNodeFolder, 'package-lock.json');
// npm silently skips an optional package that it cannot install.
const noNode = `npm installed no Node in ${ownNodeFolder}. Either the download failed or did not match its checksum, or there is
no package for ${process.platform} ${process.arch}. Try again, or set SIMPLE_AGENTS_NODE to the path of Node 22.19 or later.`;

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await setUp(toPurpose(process.argv[2] ?? 'test'));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

/**
 * @param {string} name
 * @returns {Purpose}
 */
export function toPurpose(name) {
  if (purposes.includes(name)) return /** @type {Purpose} */ (name);
  throw new Error(`Unknown purpose "${name}". Use one of: ${purposes.join(', ')}.`);
}

/** @param {Purpose} purpose */
export async function setUp(purpose) {
  if (isReady(purpose)) return;
  await withLock(join(root, '.setup'), async () => {
    if (!isNodeReady()) await installNode();
    if (!arePackagesReady(purpose)) await installDependencies(purpose);
    if (!isPageReady()) await preparePage(chosenNode() ?? process.execPath);
    if (purpose === 'test') await installSystemPackages();
  });
}

/**
 * The Node that runs commands: the one in SIMPLE_AGENTS_NODE, or the pinned one. Undefined while the pinned one is not
 * installed completely.
 */
export function chosenNode() {
  const named = process.env['SIMPLE_AGENTS_NODE'];
  if (named !== undefined && named !== '') return named;
  const complete = nodeFolders().filter((folder) => installedExtent(folder, nodeLockfile) !== undefined);
  return complete.map(nodeIn).find(existsSync);
}

/** @param {Purpose} purpose */
function isReady(purpose) {
  const isSystemReady = purpose !== 'test' || missingSystemPackages().length === 0;
  return isNodeReady() && arePackagesReady(purpose) && isPageReady() && isSystemReady;
}

function isNodeReady() {
  return chosenNode() !== undefined;
}

/** @param {Purpose} purpose */
function arePackagesReady(purpose) {
  const owner = modulesOwner();
  // Packages of another checkout follow its lockfile.
  const extent = owner === root ? installedExtent(root) : lastExtent(owner);
  return extent === 'all' || (extent === 'run' && purpose === 'run');
}

async function installNode() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ownNodeFolder, 'package.json'), 'utf8'));
  const version = Object.values(optionalDependencies)[0];
  await step(`Installing Node ${version} into tools/node, because every script here runs on it`, async () => {
    await installPackages(ownNodeFolder, 'run');
    if (!isNodeReady()) throw new Error(noNode);
  });
}

/** @param {Purpose} purpose */
async function installDependencies(purpose) {
  const owner = modulesOwner();
  if (owner !== root) {
    throw new Error(
      `${modulesFolder} is a link to another checkout whose packages are not installed completely.\n` +
        `Run \`node scripts/setup.mjs ${purpose}\` in ${owner}.`,
    );
  }
  // Installed development dependencies are kept, even if only `npm start` runs after a change of the lockfile.
  const extent = purpose === 'run' && lastExtent(root) !== 'all' ? 'run' : 'all';
  const reason = extent === 'run' ? 'that SimpleAgents needs to run' : 'for development and tests';
  await step(`Installing ${countPackages(root, extent)} npm packages ${reason}`, () => installPackages(root, extent));
}
