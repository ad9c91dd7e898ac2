// Half a year of data for two people, up to the end of November 2026, generated from a fixed seed.

import type { DatabaseSync } from 'node:sqlite';

export const months = ['2026-06', '2026-07', '2026-08', '2026-09', '2026-10', '2026-11'] as const;

/** The last day of the data; the assistant treats it as today. */
export const today = '2026-11-30';

interface Person {
  readonly id: string;
  readonly name: string;
  /** A factor for all amounts. */
  readonly scale: number;
  readonly salary: number;
  readonly rent: number;
  readonly opening: Readonly<Record<'Everyday' | 'Savings' | 'Credit card' | 'Investments', number>>;
}

const people: readonly Person[] = [
  {
    id: 'ada',
    name: 'Ada',
    scale: 1,
    salary: 4200,
    rent: 1350,
    opening: { 'Everyday': 2140.55, 'Savings': 12_500, 'Credit card': -310.2, 'Investments': 18_250.75 },
  },
  {
    id: 'grace',
    name: 'Grace',
    scale: 1.6,
    salary: 6100,
    rent: 1980,
    opening: { 'Everyday': 5310.1, 'Savings': 30_800, 'Credit card': -95.4, 'Investments': 64_020 },
  },
];

const kinds = { 'Everyday': 'current', 'Savings': 'savings', 'Credit card': 'credit', 'Investments': 'investment' };

interface Habit {
  readonly category: string;
  readonly account: 'Everyday' | 'Credit card';
  readonly payees: readonly string[];
  /** How often in a month, and the range of amounts. */
  readonly times: number;
  readonly from: number;
  readonly to: number;
  /** Only in these months. */
  readonly months?: readonly string[];
}

const habits: readonly Habit[] = [
  {
    category: 'Groceries',
    account: 'Everyday',
    payees: ['Green Market', 'Corner Shop', 'Bakery Lindt'],
    times: 9,
    from: 18,
    to: 92,
  },
  {
    category: 'Dining',
    account: 'Credit card',
    payees: ['Trattoria Sole', 'Noodle House', 'Café Central'],
    times: 5,
    from: 11,
    to: 64,
  },
  { category: 'Transport', account: 'Everyday', payees: ['City Transit', 'Rail Ticket'], times: 4, from: 9, to: 49 },
  {
    category: 'Utilities',
    account: 'Everyday',
    payees: ['Power & Light', 'Fibre Internet', 'Water Works'],
    times: 3,
    from: 29,
    to: 88,
  },
  { category: 'Health', account: 'Everyday', payees: ['Pharmacy', 'Dentist'], times: 1, from: 14, to: 120 },
  {
    category: 'Entertainment',
    account: 'Credit card',
    payees: ['Film Club', 'Streaming', 'Concert Hall'],
    times: 3,
    from: 9,
    to: 58,
  },
  {
    category: 'Shopping',
    account: 'Credit card',
    payees: ['Book Corner', 'Outfitters', 'Hardware Store'],
    times: 2,
    from: 22,
    to: 165,
  },
  {
    category: 'Travel',
    account: 'Credit card',
    payees: ['Seaside Hotel', 'Airline'],
    times: 3,
    from: 120,
    to: 420,
    months: ['2026-08'],
  },
  {
    category: 'Gifts',
    account: 'Credit card',
    payees: ['Toy Shop', 'Flower Shop'],
    times: 3,
    from: 25,
    to: 90,
    months: ['2026-11'],
  },
];

const budgets: Readonly<Record<string, number>> = {
  Housing: 1400,
  Groceries: 540,
  Dining: 210,
  Transport: 120,
  Utilities: 220,
  Entertainment: 140,
  Shopping: 200,
};

export function seed(database: DatabaseSync): void {
  for (const person of people) seedPerson(database, person);
}

function seedPerson(database: DatabaseSync, { id, name, scale, salary, rent, opening }: Person): void {
  const random = createRandom(id);
  database.prepare('INSERT INTO users VALUES (?, ?)').run(id, name);
  const account = database.prepare('INSERT INTO accounts (user_id, name, kind, opening_cents) VALUES (?, ?, ?, ?)');
  const ids = new Map<string, number | bigint>();
  for (const [label, amount] of Object.entries(opening)) {
    ids.set(label, account.run(id, label, kinds[label as keyof typeof kinds], cents(amount)).lastInsertRowid);
  }
  const budget = database.prepare('INSERT INTO budgets VALUES (?, ?, ?)');
  for (const [category, amount] of Object.entries(budgets)) {
    budget.run(id, category, Math.round((amount * scale) / 10) * 1000);
  }
  const insert = database.prepare(
    'INSERT INTO transactions (account_id, date, payee, category, amount_cents) VALUES (?, ?, ?, ?, ?)',
  );
  const book = ({ label, date, payee, category, amount }: Entry): void =>
    void insert.run(ids.get(label) ?? 0, date, payee, category, amount);
  for (const month of months) {
    for (const entry of [...fixed(month, salary, rent), ...chosen(month, scale, random)]) book(entry);
  }
}

interface Entry {
  readonly label: string;
  readonly date: string;
  readonly payee: string;
  readonly category: string;
  readonly amount: number;
}

function fixed(month: string, salary: number, rent: number): Entry[] {
  const move = (label: string, payee: string, amount: number): Entry => ({
    label,
    date: `${month}-26`,
    payee,
    category: 'Transfer',
    amount: cents(amount),
  });
  const saved = Math.round(salary / 10);
  return [
    { label: 'Everyday', date: `${month}-01`, payee: 'Landlord', category: 'Housing', amount: -cents(rent) },
    { label: 'Everyday', date: `${month}-25`, payee: 'Employer', category: 'Salary', amount: cents(salary) },
    move('Everyday', 'To Savings', -saved),
    move('Savings', 'From Everyday', saved),
    move('Everyday', 'Card payment', -400),
    move('Credit card', 'Card payment', 400),
  ];
}

function chosen(month: string, scale: number, random: () => number): Entry[] {
  const entries = habits
    .filter((habit) => habit.months?.includes(month) ?? true)
    .flatMap(({ category, account, payees, times, from, to }) =>
      Array.from({ length: times }, (): Entry => {
        const day = 1 + Math.floor(random() * 28);
        const payee = payees[Math.floor(random() * payees.length)] ?? '';
        const amount = -cents((from + random() * (to - from)) * scale);
        return { label: account, date: `${month}-${String(day).padStart(2, '0')}`, payee, category, amount };
      }),
    );
  return entries.toSorted((left, right) => left.date.localeCompare(right.date));
}

function cents(amount: number): number {
  return Math.round(amount * 100);
}

/** The same numbers for the same name, from 0 (inclusive) to 1 (exclusive). */
function createRandom(name: string): () => number {
  let state = Buffer.from(name).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 0x811c9dc5);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
