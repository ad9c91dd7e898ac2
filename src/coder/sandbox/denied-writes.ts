// Detects which read-only paths a command tried to change. Some programs report success anyway: `git branch
// --set-upstream-to` exits with code 0. Git creates NAME.lock next to a file before it replaces it, and a file watcher sees
// that. Attempts of other programs are recognised by their error messages.

import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Layout } from './policy.ts';

const refusal = /Read-only file system|Device or resource busy|could not (lock|write) config file/;
const readOnly = /read-only file system/i;

export interface Denied {
  /** Protected paths, relative to the workspace if they are inside it. */
  readonly paths: readonly string[];
  /** A message names another read-only path, most likely one outside the workspace. */
  readonly hasOthers: boolean;
}

export class DeniedWrites {
  readonly #paths: readonly string[];
  readonly #workspace: string;
  readonly #found = new Set<string>();
  readonly #watchers: FSWatcher[] = [];

  /** Starts watching. */
  constructor({ mounts, policy }: Layout) {
    this.#paths = mounts.filter(({ access }) => access !== 'write').map(({ path }) => path);
    this.#workspace = policy.workspace;
    for (const folder of new Set(this.#paths.map((path) => dirname(path)))) this.#watch(folder);
  }

  /** Call it after the command has ended. */
  async find(output: string): Promise<Denied> {
    // Queued file events are delivered within a turn of the event loop.
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    this.close();
    const lines = output.split('\n').filter((line) => refusal.test(line));
    for (const path of this.#paths) {
      if (lines.some((line) => this.#names(line, path))) this.#found.add(path);
    }
    const paths = [...this.#found].map((path) => this.#shown(path));
    return { paths, hasOthers: paths.length === 0 && readOnly.test(output) };
  }

  close(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  /** If no watcher can be created, only the messages are checked. */
  #watch(folder: string): void {
    const locks = new Map(
      this.#paths.filter((path) => dirname(path) === folder).map((path) => [`${basename(path)}.lock`, path]),
    );
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        const path = locks.get(name ?? '');
        if (path !== undefined) this.#found.add(path);
      });
      watcher.on('error', () => undefined);
      this.#watchers.push(watcher);
    } catch {
      return;
    }
  }

  /** Matches complete paths only: `.git/config` does not match `.git/config2`. */
  #names(line: string, path: string): boolean {
    const words = line.split(/[\s'"‘’:]+/);
    return [path, this.#shown(path)].some((name) =>
      words.some((word) => word === name || word === `./${name}` || word.startsWith(`${name}/`)),
    );
  }

  #shown(path: string): string {
    return path.startsWith(`${this.#workspace}/`) ? relative(this.#workspace, path) : path;
  }
}
