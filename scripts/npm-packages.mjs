// Installs the npm packages of a folder as its lockfile pins them, without running any install script. Plain
// JavaScript for Node 18 and later.
// Invariants: node_modules has a stamp only while the install is complete; packages are added to a complete install
// without removing any, so that a running server keeps its files.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { modulesFolder, nodeFolders } from './pinned-node.mjs';
import { withHeartbeat } from './progress.mjs';

/** @typedef {'run' | 'all'} Extent `run` leaves out the development dependencies */

/**
 * The extent that is installed completely, for this lockfile and this machine.
 * @param {string} folder
 * @returns {Extent | undefined}
 */
export function installedExtent(folder, lockfile = join(folder, 'package-lock.json')) {
  const [key] = readStamp(folder).split('\n');
  return key === stampKey(lockfile) ? lastExtent(folder) : undefined;
}

/**
 * The extent of the last complete install, also for an older lockfile.
 * @param {string} folder
 * @returns {Extent | undefined}
 */
export function lastExtent(folder) {
  const stamp = readStamp(folder);
  if (stamp === '') return undefined;
  return stamp.endsWith('\nrun\n') ? 'run' : 'all';
}

/**
 * @param {string} folder
 * @param {Extent} extent
 */
export async function installPackages(folder, extent) {
  const isAddition = installedExtent(folder) !== undefined;
  const action = isAddition ? ['install', '--no-save'] : ['ci'];
  const kinds = extent === 'all' ? '--include=dev' : '--omit=dev';
  rmSync(stampFileOf(folder), { force: true });
  await npm([...action, kinds, '--include=optional', '--ignore-scripts'], folder);
  writeFileSync(stampFileOf(folder), `${stampKey(join(folder, 'package-lock.json'))}\n${extent}\n`);
}

/**
 * The number of packages in an install of this extent on this machine.
 * @param {string} folder
 * @param {Extent} extent
 */
export function countPackages(folder, extent) {
  /** @type {Record<string, { dev?: boolean, os?: string | string[], cpu?: string | string[] }>} */
  const packages = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages ?? {};
  return Object.entries(packages).filter(([path, { dev, os, cpu }]) => {
    const isWanted = path !== '' && (extent === 'all' || dev !== true);
    return isWanted && fits(os, process.platform) && fits(cpu, process.arch);
  }).length;
}

/**
 * @param {string | string[] | undefined} allowed
 * @param {string} value
 */
function fits(allowed, value) {
  return allowed === undefined || [allowed].flat().includes(value);
}

/** @param {string} folder */
function readStamp(folder) {
  const file = stampFileOf(folder);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** @param {string} folder */
function stampFileOf(folder) {
  return join(folder, 'node_modules/.simple-agents-setup');
}

/** @param {string} lockfile */
function stampKey(lockfile) {
  const hash = createHash('sha256').update(readFileSync(lockfile)).digest('hex');
  return `${hash} ${process.platform} ${process.arch}`;
}

/**
 * @param {readonly string[]} argv
 * @param {string} folder
 */
async function npm(argv, folder) {
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', [...argv, ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: pathWithoutModules() },
    shell: process.platform === 'win32',
  });
  const { exitCode, output } = await withHeartbeat(child);
  if (exitCode === 0) return;
  throw new Error(`${output}\nnpm ${argv[0]} failed in ${folder}. Check the network connection and the output above.`);
}

/** npm must not run on a Node that it may replace. */
function pathWithoutModules() {
  const replaced = [modulesFolder, ...nodeFolders()];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !replaced.some((start) => folder.startsWith(start))).join(delimiter);
}
