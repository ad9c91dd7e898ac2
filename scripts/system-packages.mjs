// The Debian packages that tests need. Only `npm test` and the other test commands install them, as root on Debian;
// otherwise they are listed. Tests whose package is missing are skipped, or fail if CI is set. Plain JavaScript for
// Node 18 and later.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { say, withHeartbeat } from './progress.mjs';

const systemPackages = [
  { package: 'tmux', command: 'tmux', neededFor: 'tests of the interactive terminal' },
  { package: 'redis-server', command: 'redis-server', neededFor: 'tests of the shared cache' },
  { package: 'chromium', command: 'chromium', neededFor: 'tests of pages in a real browser' },
  { package: 'bubblewrap', command: 'bwrap', neededFor: 'tests of the coding agent’s sandbox' },
  { package: 'ripgrep', command: 'rg', neededFor: 'tests of the coding agent’s search' },
  { package: 'build-essential', command: 'gcc', neededFor: 'tests of the C library' },
  { package: 'pkg-config', command: 'pkg-config', neededFor: 'tests of the C library' },
  { package: 'valgrind', command: 'valgrind', neededFor: 'tests of the C library' },
];

export function missingSystemPackages() {
  return systemPackages.filter(({ command }) => !isOnPath(command));
}

export async function installSystemPackages() {
  const missing = missingSystemPackages();
  if (missing.length === 0) return;
  const names = missing.map((entry) => entry.package);
  const list = missing.map((entry) => `  ${entry.package}: ${entry.neededFor}`).join('\n');
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    say(`Not installed; tests that need them are skipped, or fail when CI=true:\n${list}`);
    say(`Install them with your package manager; on Debian: sudo apt-get install ${names.join(' ')}`);
    return;
  }
  say(`Installing Debian packages for the tests with apt-get:\n${list}`);
  const problem = await installWithApt(names);
  say(
    problem === undefined
      ? 'Installed.'
      : `${problem}\nCould not install them. Run: apt-get install ${names.join(' ')}`,
  );
}

/**
 * The output of apt-get if it failed. The tests run without the packages and name those that are missing.
 * @param {readonly string[]} names
 */
async function installWithApt(names) {
  const install = ['install', '--yes', '--no-install-recommends', ...names];
  if ((await aptGet(install)).exitCode === 0) return undefined;
  // The package lists may be missing, as in a new container, or outdated.
  await aptGet(['update']);
  const { exitCode, output } = await aptGet(install);
  return exitCode === 0 ? undefined : output;
}

/** @param {readonly string[]} argv */
function aptGet(argv) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return withHeartbeat(spawn('apt-get', argv, { stdio: ['ignore', 'pipe', 'pipe'], env }));
}

/** @param {string} command */
function isOnPath(command) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
}
