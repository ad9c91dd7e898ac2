// What the assistant can do, for one user: every tool is made around that user's ledger, so the model cannot ask for
// anybody else's. All of them only look.

import { defineTool, type Tool } from '../../src/index.ts';
import type { Ledger } from './ledger.ts';

const month = { type: 'string', description: 'Such as 2026-11', pattern: '^\\d{4}-\\d{2}$' } as const;
const category = { type: 'string', description: 'Such as Groceries' } as const;

export function createTools(ledger: Ledger): readonly Tool[] {
  return [
    defineTool({
      name: 'get_balances',
      description: 'The balance of one account by its name, or of all accounts and their total.',
      effect: 'pure',
      input: { type: 'object', properties: { account: { type: 'string' } } },
      run: ({ account }) => ledger.balances(account),
    }),
    defineTool({
      name: 'get_spending',
      description: 'What was spent in a month, by category, with the month before and the budget beside it.',
      effect: 'pure',
      input: { type: 'object', properties: { month }, required: ['month'] },
      run: (input) => ledger.spending(input.month),
    }),
    defineTool({
      name: 'get_spending_by_month',
      description: 'What was spent in each month there is, in all or in one category.',
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
      description: 'The monthly budgets, and what is left of each in a month.',
      effect: 'pure',
      input: { type: 'object', properties: { month }, required: ['month'] },
      run: (input) => ledger.budgets(input.month),
    }),
  ];
}
