// Reports when a configuration file has changed. Watches its folder, because editors replace files and Kubernetes swaps
// a link beside them (`..data`), and the folder the file really is in. Knows nothing of what the file says. Invariants:
//   1. Only the text counts: a file that was touched or written with the same text has not changed.
//   2. A change is reported when the text has stayed the same for a while. A text that may be half of a write (the file is
//      missing, is only the beginning of what it was, or does not end with a line end) has to stay the same for longer.

import { watch, type FSWatcher } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface ConfigWatch {
  close(): void;
}

/** All in milliseconds. */
export interface WatchOptions {
  /** How long a text has to stay the same before it counts. */
  readonly settle?: number;
  /** The same for a text that may be half of a write. */
  readonly patience?: number;
  /** How often the file is read without an event: not every file system reports changes. */
  readonly poll?: number;
}

const defaults: Required<WatchOptions> = { settle: 50, patience: 1000, poll: 5000 };

/** Does not keep the process alive. The first text is the one the file has by the time this returns. */
export async function watchConfigFile(
  file: string,
  changed: () => void,
  options: WatchOptions = {},
): Promise<ConfigWatch> {
  const watcher = new FileWatch(file, changed, { ...defaults, ...options });
  await watcher.begin();
  return watcher;
}

/** Nothing while there is no such file: that is a change as well. */
type Text = string | undefined;

interface PendingText {
  readonly text: Text;
  /** On the clock of `performance.now`. */
  readonly since: number;
}

class FileWatch implements ConfigWatch {
  readonly #file: string;
  readonly #changed: () => void;
  readonly #options: Required<WatchOptions>;
  readonly #folders = new Map<string, FSWatcher>();
  /** As it was reported last. */
  #text: Text;
  #candidate: PendingText | undefined;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(file: string, changed: () => void, options: Required<WatchOptions>) {
    this.#file = file;
    this.#changed = changed;
    this.#options = options;
  }

  async begin(): Promise<void> {
    await this.#watchFolders();
    this.#text = await this.#read();
    this.#poll = setInterval(() => this.#look(), this.#options.poll).unref();
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
    this.#timer = setTimeout(() => this.#look(delay), delay).unref();
  }

  /** `quiet`: for how long no event has come. */
  #look(quiet = 0): void {
    this.#looking = this.#looking.then(async () => {
      const text = await this.#read();
      await this.#watchFolders();
      if (!this.#isClosed) this.#consider(text, performance.now() - quiet);
    });
  }

  #consider(text: Text, since: number): void {
    if (text === this.#text) {
      this.#candidate = undefined;
      return;
    }
    if (this.#candidate === undefined || this.#candidate.text !== text) this.#candidate = { text, since };
    const { settle, patience } = this.#options;
    const needed = isUnfinished(text, this.#text) ? patience : settle;
    const left = this.#candidate.since + needed - performance.now();
    if (left > 0) return this.#wait(left);
    this.#candidate = undefined;
    this.#text = text;
    return this.#changed();
  }

  #read(): Promise<Text> {
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

function isUnfinished(text: Text, before: Text): boolean {
  return text === undefined || !text.endsWith('\n') || before?.startsWith(text) === true;
}
