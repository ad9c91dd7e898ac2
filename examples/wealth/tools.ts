// The assistant's tools for one user. Each tool uses that user's ledger, so the model cannot read another user's data. All
// of them only read.

import { defineTool, type Tool } from '../../src/index.ts';
import type { Ledger } from './ledger.ts';

const month = { type: 'string', description: 'Such as 2026-11', pattern: '^\\d{4}-\\d{2}$' } as const;
const category = { type: 'string', description: 'Such as Groceries' } as const;

export function createTools(ledger: Ledger): readonly Tool[] {
  return [
    defineTool({
      name: 'get_balances',
      description: 'The balance of one account by its name, or of all accounts with their total.',
      effect: 'pure',
      input: { type: 'object', properties: { account: { type: 'string' } } },
      run: ({ account }) => ledger.balances(account),
    }),
    defineTool({
      name: 'get_spending',
      description: 'Spending in a month by category, with the previous month and the budget.',
      effect: 'pure',
      input: { type: 'object', properties: { month }, required: ['month'] },
      run: (input) => ledger.spending(input.month),
    }),
    defineTool({
      name: 'get_spending_by_month',
      description: 'Spending in each month, in total or in one category.',
      effect: 'pure',
      input: { type: 'object', properties: { category } },
      run: (input) => ledger.trend(input.category),
    }),
    defineTool({
      name: 'list_transactions',
      description: 'Transactions, the newest first, at most 50. Money that left an account is negative.',
      effect: 'pure',
      input: {
        type: 'object',
        properties: {
          month,
          category,
          account: { type: 'string' },
          payee: { type: 'string', description: 'A part of the name' },
          limit: { type: 'integer', minimum: 1, maximum: 50, description: '10 when left out' },
        },
      },
      run: (filter) => ledger.transactions(filter),
    }),
    defineTool({
      name: 'get_budgets',
      description: 'The monthly budgets, and the remainder of each in a month.',
      effect: 'pure',
      input: { type: 'object', properties: { month }, required: ['month'] },
      run: (input) => ledger.budgets(input.month),
    }),
  ];
}
