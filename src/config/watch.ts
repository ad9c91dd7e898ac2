// Reports changes of a configuration file. Watches the directory of the path, because editors replace files and Kubernetes
// swaps a symbolic link (`..data`) next to them, and the directory of the link's target. Does not parse the file.
// Invariants:
//   1. Only the text counts: touching the file or writing the same text is not a change.
//   2. A change is reported once the text has been stable for a while. A text that may be an unfinished write (the file is
//      missing, has only the beginning of the old text, or does not end with a newline) must be stable for longer.

import { watch, type FSWatcher } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface ConfigWatch {
  close(): void;
}

/** All in milliseconds. */
export interface WatchOptions {
  /** How long a text must be stable before it is reported. */
  readonly settle?: number;
  /** The same for a text that may be an unfinished write. */
  readonly patience?: number;
  /** The interval for reading the file without an event, because not every file system reports changes. */
  readonly poll?: number;
}

const defaults: Required<WatchOptions> = { settle: 50, patience: 1000, poll: 5000 };

/** Does not keep the process alive. The initial text is the one the file has when this resolves. */
export async function watchConfigFile(
  file: string,
  changed: () => void,
  options: WatchOptions = {},
): Promise<ConfigWatch> {
  const watcher = new FileWatch(file, changed, { ...defaults, ...options });
  await watcher.begin();
  return watcher;
}

/** Undefined while the file is missing, which is also a change. */
type Text = string | undefined;

interface PendingText {
  readonly text: Text;
  /** In the time of `performance.now`. */
  readonly since: number;
}

class FileWatch implements ConfigWatch {
  readonly #file: string;
  readonly #changed: () => void;
  readonly #options: Required<WatchOptions>;
  readonly #folders = new Map<string, FSWatcher>();
  /** The text that was reported last. */
  #text: Text;
  #pending: PendingText | undefined;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(file: string, changed: () => void, options: Required<WatchOptions>) {
    this.#file = file;
    this.#changed = changed;
    this.#options = options;
  }

  async begin(): Promise<void> {
    await this.#watchFolders();
    this.#text = await this.#read();
    this.#poll = setInterval(() => this.#check(), this.#options.poll).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#poll);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #wait(delay = this.#options.settle): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(delay), delay).unref();
  }

  /** `quiet`: milliseconds since the last event. */
  #check(quiet = 0): void {
    this.#checking = this.#checking.then(async () => {
      const text = await this.#read();
      await this.#watchFolders();
      if (!this.#isClosed) this.#consider(text, performance.now() - quiet);
    });
  }

  #consider(text: Text, since: number): void {
    if (text === this.#text) {
      this.#pending = undefined;
      return;
    }
    if (this.#pending === undefined || this.#pending.text !== text) this.#pending = { text, since };
    const { settle, patience } = this.#options;
    const needed = isUnfinished(text, this.#text) ? patience : settle;
    const left = this.#pending.since + needed - performance.now();
    if (left > 0) return this.#wait(left);
    this.#pending = undefined;
    this.#text = text;
    return this.#changed();
  }

  #read(): Promise<Text> {
    return readFile(this.#file, 'utf8').catch(() => undefined);
  }

  /** Watches the directory of the file and that of the link's target, which may have changed. */
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
      // The directory may have been removed; polling continues.
      watcher.on('error', () => {
        watcher.close();
        this.#folders.delete(folder);
      });
      this.#folders.set(folder, watcher);
    } catch {
      // The directory does not exist or cannot be watched; polling continues.
    }
  }
}

function isUnfinished(text: Text, before: Text): boolean {
  return text === undefined || !text.endsWith('\n') || before?.startsWith(text) === true;
}
