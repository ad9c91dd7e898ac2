// Makes a checkout ready to run: npm dependencies (the pinned Node among them) and system packages. Plain
// JavaScript for Node 18 and later, because it runs before any of that is there.
// Invariants: two at once do the work once; done means stamped, so an interrupted set-up is done again; when
// nothing is to be done it costs one hash of the lockfile.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockfile = join(root, 'package-lock.json');
export const modulesFolder = join(root, 'node_modules');
export const pinnedNode = join(modulesFolder, 'node/bin/node');
const stampFile = join(modulesFolder, '.simple-agents-setup');

/** What tests use beyond npm; without one, the tests that need it are skipped, or fail when CI is set. */
const systemPackages = [
  { package: 'tmux', command: 'tmux', neededFor: 'tests of the interactive terminal' },
  { package: 'redis-server', command: 'redis-server', neededFor: 'tests of the shared cache' },
  { package: 'chromium', command: 'chromium', neededFor: 'tests of pages in a real browser' },
  { package: 'bubblewrap', command: 'bwrap', neededFor: 'the sandbox of the coding agent and its tests' },
  { package: 'ripgrep', command: 'rg', neededFor: 'the search of the coding agent and its tests' },
];

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await setUp({ everything: true });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

/** By default system packages are looked at only together with an install, to cost and say nothing later. */
export async function setUp({ everything = false } = {}) {
  if (isReady() && !everything) return;
  await withLock(join(root, '.setup'), () => {
    const wasReady = isReady();
    if (!wasReady) installDependencies();
    if (!wasReady || everything) installSystemPackages();
  });
}

function isReady() {
  if (!existsSync(pinnedNode)) return false;
  return isLinked() || (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp());
}

/** `npm ci` would empty the folder behind the link, which belongs to another checkout. */
function isLinked() {
  return lstatSync(modulesFolder, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function stamp() {
  const hash = createHash('sha256').update(readFileSync(lockfile)).digest('hex');
  return `${hash} ${process.platform} ${process.arch}\n`;
}

function installDependencies() {
  if (isLinked()) throw new Error(`${modulesFolder} is a link to a folder without dependencies. Run npm ci there.`);
  say('Installing dependencies (npm ci) …');
  const started = Date.now();
  const install = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: pathWithoutModules() },
  });
  if (install.status !== 0) {
    throw new Error(`${outputOf(install)}\nnpm ci failed in ${root}. Check the network and the lines above.`);
  }
  if (!existsSync(pinnedNode)) {
    throw new Error('npm ci did not install Node: its install script must be allowed (npm config get ignore-scripts).');
  }
  writeFileSync(stampFile, stamp());
  say(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/** npm must not run on the Node it is about to replace. */
function pathWithoutModules() {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !folder.startsWith(modulesFolder)).join(delimiter);
}

function installSystemPackages() {
  const missing = systemPackages.filter(({ command }) => !isOnPath(command));
  if (missing.length === 0) return;
  const names = missing.map((entry) => entry.package);
  const wanted = missing.map((entry) => `${entry.package} (${entry.neededFor})`).join(', ');
  const isRootOnDebian = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!isRootOnDebian) {
    say(`Not installed, and worth having: ${wanted}.`);
    return;
  }
  say(`Installing system packages: ${wanted} …`);
  if (!aptGet('install', names) && !(aptGet('update', []) && aptGet('install', names))) {
    say(`Could not install them; run apt-get install ${names.join(' ')} by hand.`);
  }
}

/**
 * @param {string} action
 * @param {readonly string[]} names
 */
function aptGet(action, names) {
  const options = action === 'install' ? ['--yes', '--no-install-recommends'] : [];
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', [action, ...options, ...names], { stdio: 'ignore', env: environment }).status === 0;
}

/** @param {string} command */
function isOnPath(command) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
}

/** @param {import('node:child_process').SpawnSyncReturns<string>} result */
function outputOf(result) {
  if (result.error) return `npm cannot be run: ${result.error.message}`;
  return `${result.stdout}${result.stderr}`.trim().split('\n').slice(-30).join('\n');
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}
