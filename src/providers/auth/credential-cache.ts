// Keeps a credential until shortly before it expires.
// Invariants:
//   1. At most one load is in progress, however many calls wait for it.
//   2. Near the end a new credential is loaded in the background, while calls use the old one. If that fails, the old one
//      is used until it expires, so that a short outage of the source fails no call.
//   3. A credential that was just loaded is used even if it looks expired, because the clock of this machine may be wrong.

import type { Expiring } from './credential-host.ts';

/** All in milliseconds. */
export interface CredentialCacheOptions {
  /** The date, as in `CredentialHost`. */
  readonly now: () => number;
  /** How long before the end a new credential is loaded. */
  readonly ahead?: number;
  /** How long before the end a credential is no longer used. */
  readonly margin?: number;
}

/** The pause after a load in the background has failed. */
const pause = 30_000;
/** How long after its load a refusal is not the fault of a credential. */
const fresh = 5000;
/** How long a credential is used that looks expired when it is loaded. */
const shortestUse = 60_000;

export class CredentialCache<T extends Expiring> {
  readonly #load: () => Promise<T>;
  readonly #now: () => number;
  readonly #ahead: number;
  readonly #margin: number;
  #current: { readonly credential: T; readonly endsAt: number } | undefined;
  #loading: Promise<T> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #loadedAt = Number.NEGATIVE_INFINITY;

  constructor(load: () => Promise<T>, { now, ahead = 300_000, margin = 10_000 }: CredentialCacheOptions) {
    this.#load = load;
    this.#now = now;
    this.#ahead = ahead;
    this.#margin = margin;
  }

  async get(): Promise<T> {
    const now = this.#now();
    if (this.#current === undefined || now >= this.#current.endsAt - this.#margin) return this.#refresh();
    const { credential, endsAt } = this.#current;
    // A failure in the background does not concern the call that started it.
    if (now >= endsAt - this.#ahead && now >= this.#failedAt + pause) this.#refresh().catch(() => undefined);
    return credential;
  }

  /**
   * The server refused this credential. Returns whether there is another one. A credential that was just loaded is not
   * loaded again, because calls that are refused for another reason would do so each time.
   */
  async replace(refused: T): Promise<boolean> {
    const isCurrent = this.#current !== undefined && isSame(this.#current.credential, refused);
    if (isCurrent && this.#now() < this.#loadedAt + fresh) return false;
    if (isCurrent) this.#current = undefined;
    return !isSame(await this.get(), refused);
  }

  #refresh(): Promise<T> {
    this.#loading ??= this.#loadNext().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #loadNext(): Promise<T> {
    try {
      const credential = await this.#load();
      const { expiresAt = Number.POSITIVE_INFINITY } = credential;
      this.#current = { credential, endsAt: Math.max(expiresAt, this.#now() + shortestUse) };
      this.#failedAt = Number.NEGATIVE_INFINITY;
      this.#loadedAt = this.#now();
      return credential;
    } catch (error) {
      this.#failedAt = this.#now();
      throw error;
    }
  }
}

function isSame(left: Expiring, right: Expiring): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
