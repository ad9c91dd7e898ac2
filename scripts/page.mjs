// The gateway's page: installs the packages of web/ and compiles it into dist/web. Plain JavaScript for Node 18 and later.
// The published package contains the compiled page, so this is for a checkout.
// Invariant: a compiled page that is older than one of its sources is compiled again.

import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { countPackages, installedExtent, installPackages } from './npm-packages.mjs';
import { root } from './pinned-node.mjs';
import { step, withHeartbeat } from './progress.mjs';

const folder = join(root, 'web');
/** What the page is compiled from. It runs healing and the damages of the simulated model itself. */
const sources = ['web', 'src/core', 'src/heal', 'src/testing'];

export function isPageReady() {
  return installedExtent(folder) !== undefined && isCompiled();
}

/** @param {string} node */
export async function preparePage(node) {
  if (installedExtent(folder) === undefined) {
    const what = `Installing ${countPackages(folder, 'run')} npm packages for the gateway's page`;
    await step(what, () => installPackages(folder, 'run'));
  }
  if (!isCompiled()) await step("Compiling the gateway's page", () => compile(node));
}

function isCompiled() {
  const compiled = timeOf(join(root, 'dist/web/index.html'));
  return sources.every((source) => newest(join(root, source)) <= compiled);
}

/**
 * The time of the last change in a folder.
 * @param {string} place
 * @returns {number}
 */
function newest(place) {
  const entries = readdirSync(place, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  const times = entries.map((entry) => {
    const path = join(place, entry.name);
    return entry.isDirectory() ? newest(path) : timeOf(path);
  });
  return Math.max(0, ...times);
}

/** @param {string} path */
function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} node */
async function compile(node) {
  const child = spawn(node, [join(folder, 'build.ts')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const { exitCode, output } = await withHeartbeat(child);
  if (exitCode !== 0) throw new Error(`${output}\nThe page could not be compiled. See the output above.`);
}
