// Tells when a configuration file has changed. Watches its folder, for editors replace files and Kubernetes swaps a link
// beside them (`..data`), and the folder the file really is in. What counts is the text: a file that was touched or
// written with the same words has not changed. Knows nothing of what the file says.

import { watch, type FSWatcher } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface ConfigWatch {
  close(): void;
}

export interface WatchOptions {
  /** How long it must be quiet before the file is looked at: editors write in several steps. */
  readonly settle?: number;
  /** How often the file is looked at in any case: not every file system tells of changes. */
  readonly poll?: number;
}

/** Does not keep the process alive. The first text is the one the file has by the time this returns. */
export async function watchConfigFile(
  file: string,
  changed: () => void,
  { settle = 50, poll = 5000 }: WatchOptions = {},
): Promise<ConfigWatch> {
  const watcher = new FileWatch(file, changed, settle);
  await watcher.begin(poll);
  return watcher;
}

class FileWatch implements ConfigWatch {
  readonly #file: string;
  readonly #changed: () => void;
  readonly #settle: number;
  readonly #folders = new Map<string, FSWatcher>();
  #text: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(file: string, changed: () => void, settle: number) {
    this.#file = file;
    this.#changed = changed;
    this.#settle = settle;
  }

  async begin(poll: number): Promise<void> {
    await this.#watchFolders();
    this.#text = await this.#read();
    this.#poll = setInterval(() => this.#look(), poll).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#poll);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), this.#settle).unref();
  }

  #look(): void {
    this.#looking = this.#looking.then(async () => {
      const text = await this.#read();
      await this.#watchFolders();
      if (this.#isClosed || text === this.#text) return;
      this.#text = text;
      this.#changed();
    });
  }

  /** Nothing while there is no such file: that is a change as well. */
  #read(): Promise<string | undefined> {
    return readFile(this.#file, 'utf8').catch(() => undefined);
  }

  /** Where the file is, and where the one it links to is; the latter may have changed. */
  async #watchFolders(): Promise<void> {
    const real = await realpath(this.#file).catch(() => this.#file);
    const wanted = new Set([dirname(this.#file), dirname(real)]);
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) if (!this.#isClosed && !this.#folders.has(folder)) this.#watch(folder);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#wait());
      // The folder may go; looking from time to time goes on.
      watcher.on('error', () => {
        watcher.close();
        this.#folders.delete(folder);
      });
      this.#folders.set(folder, watcher);
    } catch {
      // There is no such folder, or no watching here: looking from time to time has to do.
    }
  }
}
