// An append-only file of JSON lines that survives a kill at any moment and a full disk.
// Invariants:
//   1. A record is one write. When `append` says true, it is the operating system's, and a kill does not lose it.
//   2. A record never begins on a line that another left unfinished.
//   3. What could not be written waits, in order, and is written before anything else: no record is left out.

import { closeSync, constants, fstatSync, fsync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { toJsonLine } from '../exact-json.ts';

const newline = 10;
/** A link is not followed: a repository could bring one that leads to the user's own files. */
const appending = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW;

export class RecordLog {
  readonly #path: string;
  #file: number | undefined;
  /** Whether the file is known to end with a whole line. */
  #isWhole = false;
  #waiting: string[] = [];
  #problem: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Why the last write failed; nothing when all is written. */
  get problem(): string | undefined {
    return this.#problem;
  }

  append(record: object): boolean {
    this.#waiting.push(toJsonLine(record));
    return this.flush();
  }

  /** Writes what waits. */
  flush(): boolean {
    while (this.#waiting.length > 0) {
      try {
        this.#write(this.#waiting[0] ?? '');
      } catch (error) {
        this.#isWhole = false;
        this.#problem = describe(error);
        return false;
      }
      this.#waiting.shift();
    }
    this.#problem = undefined;
    return true;
  }

  /** On the disk, not only with the operating system. */
  async sync(): Promise<void> {
    if (this.#file !== undefined) await promisify(fsync)(this.#file);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(line: string): void {
    const file = this.#open();
    if (!this.#isWhole) this.#isWhole = endsWhole(file);
    const bytes = Buffer.from(`${this.#isWhole ? '' : '\n'}${line}\n`);
    const written = writeSync(file, bytes);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
    this.#isWhole = true;
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    // A conversation is nobody else's business.
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    this.#file = openSync(this.#path, appending, 0o600);
    return this.#file;
  }
}

function endsWhole(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === newline;
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' ? 'ENOSPC: the disk is full' : (code ?? message);
}
