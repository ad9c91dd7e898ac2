// An append-only file of JSON lines that survives a kill at any moment, a full disk and the deletion of the file.
// Invariants:
//   1. A record is one write. When `append` returns true, the operating system has it, and a kill does not lose it.
//   2. A record never starts on a line that was left unfinished.
//   3. Records that could not be written wait in order and are written before later ones: no record is lost.
//   4. The file at the path is the file that is written. If it was deleted, replaced or truncated, `restore` writes it again:
//      from the deleted file, which stays readable while it is open, or else from the records of `rebuild`.

import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { toJsonLine } from '../json-line.ts';

const newline = 10;
/** Links are not followed: a repository could contain one that points to the user's own files. */
const appending = constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW;

export interface RecordLogOptions {
  readonly path: string;
  /** Creates the folder. */
  readonly prepare: () => void;
  /** Returns the records for a file that cannot be read any more. */
  readonly rebuild: () => readonly object[];
}

/** `copied`: everything was restored. `rebuilt`: only the records of `rebuild` were. */
export type Restoration = { readonly movedTo?: string } & (
  | { readonly outcome: 'copied' | 'rebuilt' }
  | { readonly outcome: 'failed'; readonly problem: string }
);

export class RecordLog {
  readonly #options: RecordLogOptions;
  #file: number | undefined;
  /** The minimum size of the file. */
  #size = 0;
  /** Whether the file is known to end with a complete line. */
  #isWhole = false;
  /** The file should exist and does not. */
  #isMissing = false;
  #waiting: string[] = [];
  #problem: string | undefined;

  constructor(options: RecordLogOptions) {
    this.#options = options;
  }

  /** Why the last write failed; undefined if everything is written. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Opens a file that should exist, so that its deletion is noticed from now on. */
  reopen(): void {
    try {
      this.#use(openSync(this.#options.path, appending));
    } catch (error) {
      // Other errors appear again at the first write.
      this.#isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  append(record: object): boolean {
    this.#waiting.push(toJsonLine(record));
    return this.flush();
  }

  /** Writes the waiting records. */
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

  /** Call it before a change: `rebuild` must return what has been appended. Undefined if the file is unchanged. */
  restore(): Restoration | undefined {
    const old = this.#file;
    if (old === undefined ? !this.#isMissing : this.#isInPlace(old)) return undefined;
    let movedTo: string | undefined;
    try {
      const isReadable = old !== undefined && fstatSync(old).size >= this.#size;
      this.#options.prepare();
      movedTo = moveAside(this.#options.path);
      this.#replace(isReadable ? old : undefined);
      return { outcome: isReadable ? 'copied' : 'rebuilt', ...(movedTo === undefined ? {} : { movedTo }) };
    } catch (error) {
      return { outcome: 'failed', problem: describe(error), ...(movedTo === undefined ? {} : { movedTo }) };
    }
  }

  /** Flushes the file to the disk. */
  async sync(): Promise<void> {
    if (this.#file !== undefined) await promisify(fsync)(this.#file);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #isInPlace(file: number): boolean {
    try {
      const [here, own] = [statSync(this.#options.path), fstatSync(file)];
      return here.ino === own.ino && here.dev === own.dev && here.size >= this.#size;
    } catch {
      return false;
    }
  }

  /** The old file stays in use until the new one is complete. */
  #replace(source: number | undefined): void {
    const { path, rebuild } = this.#options;
    const file = openSync(path, appending | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      if (source !== undefined) copy(source, file);
      else
        writeWhole(
          file,
          Buffer.from(
            rebuild()
              .map((record) => `${toJsonLine(record)}\n`)
              .join(''),
          ),
        );
    } catch (error) {
      closeSync(file);
      rmSync(path, { force: true });
      throw error;
    }
    // The rebuilt records include the waiting ones.
    if (source === undefined) this.#waiting = [];
    this.close();
    this.#use(file);
  }

  #use(file: number): void {
    this.#file = file;
    this.#size = fstatSync(file).size;
    this.#isWhole = false;
    this.#isMissing = false;
  }

  #write(line: string): void {
    const file = this.#open();
    if (!this.#isWhole) this.#isWhole = endsWhole(file);
    this.#size += writeWhole(file, Buffer.from(`${this.#isWhole ? '' : '\n'}${line}\n`));
    this.#isWhole = true;
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    this.#options.prepare();
    const file = openSync(this.#options.path, appending | constants.O_CREAT, 0o600);
    this.#use(file);
    return file;
  }
}

/** One write, because a partial one could not be distinguished from the next record. */
function writeWhole(file: number, bytes: Buffer): number {
  const written = writeSync(file, bytes);
  if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
  return written;
}

const chunkSize = 1024 * 1024;

function copy(from: number, to: number): void {
  const chunk = Buffer.allocUnsafe(chunkSize);
  for (let position = 0; ;) {
    const length = readSync(from, chunk, 0, chunkSize, position);
    if (length === 0) return;
    position += writeWhole(to, chunk.subarray(0, length));
  }
}

/** Keeps a replacement or truncated file, because it may still be useful. */
function moveAside(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined || status.size === 0) {
    rmSync(path, { force: true });
    return undefined;
  }
  const target = `${path}.replaced-${process.pid}-${Date.now()}`;
  renameSync(path, target);
  return target;
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
