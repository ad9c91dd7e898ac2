// A script for the simulated model, used when there is no key. It calls the right tools and describes each result as a
// model would. It knows the results in advance, because it queries the same ledger.

import type { DatabaseSync } from 'node:sqlite';
import { Ledger, type Balances, type Spending, type Transaction, type Trend } from './ledger.ts';
import { months } from './seed.ts';
import { Sessions } from './sessions.ts';

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, string | number>>;
}

interface Reply {
  readonly match: { readonly lastRole: 'user' | 'tool'; readonly regex?: string; readonly contains?: string };
  readonly text?: string;
  readonly toolCalls?: readonly Call[];
}

const monthNames = 'January February March April May June July August September October November December'.split(' ');
const thisMonth = months[months.length - 1] ?? '';

export function createScript(database: DatabaseSync): { readonly replies: readonly Reply[] } {
  const ledgers = new Sessions(database).users().map(({ id }) => new Ledger(database, id));
  return { replies: [...ledgers.flatMap(answers), ...failures, ...questions] };
}

const spendingWords = '(spend|spent|spending|expense|chart)';

const questions: readonly Reply[] = [
  asks('^\\W*(hi|hello|hey|good (morning|evening))\\b[^?]*$', {
    text: 'Hello! I can tell you about your balances, your spending by month and category, your transactions and your budgets. What would you like to know?',
  }),
  ...monthNames.map((name, index) => {
    const month = `2026-${String(index + 1).padStart(2, '0')}`;
    return asks(`${spendingWords}[^]*\\b${name}\\b|\\b${name}\\b[^]*${spendingWords}`, {
      text: `Let me look at ${name}.\n\n`,
      toolCalls: [{ name: 'get_spending', input: { month } }],
    });
  }),
  asks('pension', { toolCalls: [{ name: 'get_balances', input: { account: 'Pension' } }] }),
  asks('balance|how much (money )?do i have|accounts?\\b', { toolCalls: [{ name: 'get_balances', input: {} }] }),
  asks('budget', { toolCalls: [{ name: 'get_budgets', input: { month: thisMonth } }] }),
  asks('transactions?|bought|purchases?', { toolCalls: [{ name: 'list_transactions', input: { limit: 5 } }] }),
  asks('(each|every|by|per|over) (the )?(last )?(month|time)|trend|compare', {
    toolCalls: [{ name: 'get_spending_by_month', input: {} }],
  }),
  asks(spendingWords, { toolCalls: [{ name: 'get_spending', input: { month: thisMonth } }] }),
  asks('', {
    text: 'I am a script that replaces a model, so I understand only a few questions: about balances, spending in a month or over time, budgets and recent transactions. Set an API key in the environment to use a real model.',
  }),
];

const failures: readonly Reply[] = [
  reads('There is no data for', {
    text: 'I have no records for that month, only from June to November 2026. Shall I show one of those?',
  }),
  reads('There is no account', {
    text: 'I could not find such an account. You have Everyday, Savings, Credit card and Investments.',
  }),
];

/** One reply for every possible result of the questions above. */
function answers(ledger: Ledger): Reply[] {
  const recent = ledger.transactions({ limit: 5 });
  return [
    told(ledger.balances(), describeBalances),
    told(ledger.trend(), describeTrend),
    told(recent, describeTransactions),
    told(ledger.budgets(thisMonth), describeBudgets),
    ...months.map((month) => told(ledger.spending(month), describeSpending)),
  ];
}

/** The model gets a tool's result as this exact text. */
function told<T>(result: T, describe: (result: T) => string): Reply {
  return reads(JSON.stringify(result), { text: describe(result) });
}

function asks(regex: string, reply: Omit<Reply, 'match'>): Reply {
  return { match: { lastRole: 'user', regex }, ...reply };
}

function reads(contains: string, reply: Omit<Reply, 'match'>): Reply {
  return { match: { lastRole: 'tool', contains }, ...reply };
}

function describeBalances({ accounts, total }: Balances): string {
  const lines = accounts.map(({ name, balance }) => `- ${name}: **${money(balance)}**`);
  return `You have **${money(total)}** in all:\n\n${lines.join('\n')}`;
}

function describeSpending({ month, total, totalBefore, categories }: Spending): string {
  const [first, second] = categories;
  const change = total - totalBefore;
  const compared =
    totalBefore === 0 ? '' : `, ${money(Math.abs(change))} ${change > 0 ? 'more' : 'less'} than the month before`;
  const most = first === undefined ? '' : ` Most went to ${first.category} (${money(first.spent)})`;
  const next = second === undefined ? '.' : `, then ${second.category} (${money(second.spent)}).`;
  const over = categories.filter(({ spent, budget }) => budget !== undefined && spent > budget);
  const warning =
    over.length === 0 ? '' : ` You went over your budget for ${over.map(({ category }) => category).join(' and ')}.`;
  return `In ${nameOf(month)} you spent **${money(total)}**${compared}.${most}${next}${warning}\n\n[chart: spending ${month}]`;
}

function describeTrend({ months: known }: Trend): string {
  const most = known.toSorted((left, right) => right.spent - left.spent)[0];
  const peak = most === undefined ? '' : ` The most was ${money(most.spent)}, in ${nameOf(most.month)}.`;
  return `Here is what you spent in each month.${peak}\n\n[chart: months]`;
}

function describeTransactions(transactions: readonly Transaction[]): string {
  const lines = transactions.map(({ date, payee, amount }) => `- ${date}: ${payee}, **${money(amount)}**`);
  return `Your latest transactions:\n\n${lines.join('\n')}`;
}

function describeBudgets({ month, budgets }: ReturnType<Ledger['budgets']>): string {
  const lines = budgets.map(({ category, left }) =>
    left < 0 ? `- ${category}: **${money(-left)} over**` : `- ${category}: ${money(left)} left`,
  );
  return `Your budgets in ${nameOf(month)}:\n\n${lines.join('\n')}`;
}

function money(amount: number): string {
  return new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' }).format(amount);
}

function nameOf(month: string): string {
  const [year, number] = month.split('-');
  return `${monthNames[Number(number) - 1]} ${year}`;
}
