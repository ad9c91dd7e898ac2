// The database: users, accounts, transactions and budgets, in SQLite. Amounts are integer cents, so that sums are exact.
// Money that leaves an account is negative.

import { DatabaseSync } from 'node:sqlite';
import { seed } from './seed.ts';

const schema = `
  CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users, name TEXT NOT NULL, kind TEXT NOT NULL,
    opening_cents INTEGER NOT NULL, UNIQUE (user_id, name)
  ) STRICT;
  CREATE TABLE transactions (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts, date TEXT NOT NULL, payee TEXT NOT NULL,
    category TEXT NOT NULL, amount_cents INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX transactions_by_date ON transactions (account_id, date);
  CREATE TABLE budgets (
    user_id TEXT NOT NULL REFERENCES users, category TEXT NOT NULL, monthly_cents INTEGER NOT NULL,
    PRIMARY KEY (user_id, category)
  ) STRICT;
  CREATE TABLE sessions (token_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users) STRICT;
`;

/** Opens a file, or an in-memory database that starts with the same data each time. */
export function openDatabase(path = ':memory:'): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA foreign_keys = ON');
  const isNew = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'users'").get() === undefined;
  if (isNew) {
    database.exec('BEGIN');
    database.exec(schema);
    seed(database);
    database.exec('COMMIT');
  }
  return database;
}
