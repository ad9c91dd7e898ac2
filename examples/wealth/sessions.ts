// Sign-in: a random token in an HttpOnly cookie. The database stores only its hash. Anyone can sign in as one of the two
// demonstration users; your application would check a password here.

import { hash, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

export interface User {
  readonly id: string;
  readonly name: string;
}

const cookie = 'wealth_session';

export class Sessions {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  users(): readonly User[] {
    return this.#database.prepare('SELECT id, name FROM users ORDER BY id').all().map(toUser);
  }

  /** Returns the cookie to set, or undefined if the user does not exist. */
  signIn(id: string): string | undefined {
    if (!this.users().some((user) => user.id === id)) return undefined;
    const token = randomBytes(32).toString('base64url');
    this.#database.prepare('INSERT INTO sessions VALUES (?, ?)').run(hash('sha256', token), id);
    return `${cookie}=${token}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** For `authenticate` of `createServer`. */
  readonly userOf = (request: Request): User | undefined => {
    const token = new RegExp(`(?:^|; )${cookie}=([\\w-]+)`).exec(request.headers.get('cookie') ?? '')?.[1];
    if (token === undefined) return undefined;
    const row = this.#database
      .prepare('SELECT u.id, u.name FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = ?')
      .get(hash('sha256', token));
    return row === undefined ? undefined : toUser(row);
  };
}

function toUser(row: Readonly<Record<string, unknown>>): User {
  return { id: String(row['id']), name: String(row['name']) };
}
