// The queries of one user. The user's id comes from the server, never from the model or the request.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

export interface Balances {
  readonly currency: 'EUR';
  readonly accounts: readonly { readonly name: string; readonly kind: string; readonly balance: number }[];
  readonly total: number;
}

export interface CategorySpending {
  readonly category: string;
  readonly spent: number;
  /** In the previous month. */
  readonly before: number;
  readonly budget?: number;
}

export interface Spending {
  readonly currency: 'EUR';
  readonly month: string;
  readonly total: number;
  readonly totalBefore: number;
  readonly categories: readonly CategorySpending[];
}

export interface Trend {
  readonly currency: 'EUR';
  readonly category?: string;
  readonly months: readonly { readonly month: string; readonly spent: number }[];
}

export interface Transaction {
  readonly date: string;
  readonly account: string;
  readonly payee: string;
  readonly category: string;
  readonly amount: number;
}

export interface TransactionFilter {
  readonly month?: string | undefined;
  readonly category?: string | undefined;
  readonly account?: string | undefined;
  readonly payee?: string | undefined;
  readonly limit?: number | undefined;
}

/** Spending: money that left, without transfers between own accounts. */
const spent = `t.amount_cents < 0 AND t.category <> 'Transfer'`;
const mine = 'FROM transactions t JOIN accounts a ON a.id = t.account_id WHERE a.user_id = ?';

export class Ledger {
  readonly #database: DatabaseSync;
  readonly #user: string;

  constructor(database: DatabaseSync, user: string) {
    this.#database = database;
    this.#user = user;
  }

  /** Of one account, or of all. Throws if the account does not exist. */
  balances(account?: string): Balances {
    const rows = this.#rows(
      `SELECT a.name, a.kind, a.opening_cents + coalesce(sum(t.amount_cents), 0) AS cents FROM accounts a
       LEFT JOIN transactions t ON t.account_id = a.id WHERE a.user_id = ? GROUP BY a.id ORDER BY a.id`,
    );
    const all = rows.map(({ name, kind, cents }) => ({
      name: String(name),
      kind: String(kind),
      balance: euros(cents),
    }));
    const accounts = account === undefined ? all : all.filter(({ name }) => isSame(name, account));
    if (accounts.length === 0) throw new Error(`There is no account "${account}". There are: ${namesOf(all)}.`);
    return { currency: 'EUR', accounts, total: sum(accounts.map(({ balance }) => balance)) };
  }

  /** By category, the largest first. Throws if there is no data for the month. */
  spending(month: string): Spending {
    this.#checkMonth(month);
    const before = this.#byCategory(monthBefore(month));
    const now = this.#byCategory(month);
    const budgets = this.#budgets();
    const categories = [...now].map(([category, amount]) => {
      const budget = budgets.get(category);
      const known = { category, spent: amount, before: before.get(category) ?? 0 };
      return budget === undefined ? known : { ...known, budget };
    });
    return {
      currency: 'EUR',
      month,
      total: sum([...now.values()]),
      totalBefore: sum([...before.values()]),
      categories: categories.toSorted((left, right) => right.spent - left.spent),
    };
  }

  trend(category?: string): Trend {
    const rows = this.#rows(
      `SELECT substr(t.date, 1, 7) AS month, -sum(CASE WHEN ? = '' OR t.category = ? COLLATE NOCASE THEN t.amount_cents
       ELSE 0 END) AS cents FROM transactions t JOIN accounts a ON a.id = t.account_id
       WHERE a.user_id = ? AND ${spent} GROUP BY month ORDER BY month`,
      [category ?? '', category ?? '', this.#user],
    );
    const known = rows.map(({ month, cents }) => ({ month: String(month), spent: euros(cents) }));
    return { currency: 'EUR', ...(category === undefined ? {} : { category }), months: known };
  }

  /** The newest first, at most 50. */
  transactions({ month, category, account, payee, limit = 10 }: TransactionFilter): readonly Transaction[] {
    if (month !== undefined) this.#checkMonth(month);
    const filters: [condition: string, value: string | undefined][] = [
      ["t.date LIKE ? || '-%'", month],
      ['t.category = ? COLLATE NOCASE', category],
      ['a.name = ? COLLATE NOCASE', account],
      ["t.payee LIKE '%' || ? || '%'", payee],
    ];
    const used = filters.filter(([, value]) => value !== undefined);
    const rows = this.#rows(
      `SELECT t.date, a.name AS account, t.payee, t.category, t.amount_cents AS cents ${mine}
       ${used.map(([condition]) => `AND ${condition}`).join(' ')} ORDER BY t.date DESC, t.id DESC LIMIT ?`,
      [this.#user, ...used.map(([, value]) => value ?? ''), Math.min(Math.max(1, limit), 50)],
    );
    return rows.map((row) => ({
      date: String(row['date']),
      account: String(row['account']),
      payee: String(row['payee']),
      category: String(row['category']),
      amount: euros(row['cents']),
    }));
  }

  /** The remainder of each budget in a month. */
  budgets(month: string) {
    const known = this.#byCategory((this.#checkMonth(month), month));
    const budgets = [...this.#budgets()].map(([category, budget]) => {
      const amount = known.get(category) ?? 0;
      return { category, budget, spent: amount, left: round(budget - amount) };
    });
    return { currency: 'EUR' as const, month, budgets };
  }

  #byCategory(month: string): Map<string, number> {
    const rows = this.#rows(
      `SELECT t.category, -sum(t.amount_cents) AS cents ${mine} AND ${spent} AND t.date LIKE ? || '-%'
       GROUP BY t.category`,
      [this.#user, month],
    );
    return new Map(rows.map(({ category, cents }) => [String(category), euros(cents)]));
  }

  #budgets(): Map<string, number> {
    const rows = this.#rows('SELECT category, monthly_cents AS cents FROM budgets WHERE user_id = ? ORDER BY category');
    return new Map(rows.map(({ category, cents }) => [String(category), euros(cents)]));
  }

  #checkMonth(month: string): void {
    const known = this.#rows(`SELECT DISTINCT substr(t.date, 1, 7) AS month ${mine} ORDER BY month`).map((row) =>
      String(row['month']),
    );
    if (known.includes(month)) return;
    throw new Error(`There is no data for ${month}. Data is available from ${known[0]} to ${known.at(-1)}.`);
  }

  #rows(query: string, values: readonly SQLInputValue[] = [this.#user]) {
    return this.#database.prepare(query).all(...values);
  }
}

export function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}

function euros(cents: unknown): number {
  return Number(cents) / 100;
}

function round(amount: number): number {
  return Math.round(amount * 100) / 100;
}

function sum(amounts: readonly number[]): number {
  return round(amounts.reduce((total, amount) => total + amount, 0));
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function namesOf(accounts: readonly { readonly name: string }[]): string {
  return accounts.map(({ name }) => name).join(', ');
}
