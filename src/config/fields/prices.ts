// The rows of `[prices.NAME]`. What models cost.

import type { Field } from '../field.ts';
import { isPositive, isRate } from '../rules.ts';

export const pricesFields = [
  {
    table: 'prices',
    key: 'input',
    type: 'number',
    description: 'What is asked, as far as the prompt cache neither served nor stored it.',
    otherwise: 'as listed',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'output',
    type: 'number',
    description: 'What is answered.',
    otherwise: 'as listed',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'cache_read',
    type: 'number',
    description: 'What the prompt cache served.',
    otherwise: 'as listed, else as `input`',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'cache_write',
    type: 'number',
    description: 'What the prompt cache stored.',
    otherwise: 'as listed, else as `input`',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'reasoning',
    type: 'number',
    description: 'The part of the answer that is reasoning.',
    otherwise: 'as listed, else as `output`',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'context_window',
    type: 'integer',
    description: 'How many tokens the model can read at once.',
    otherwise: 'as listed',
    rule: isPositive,
  },
] as const satisfies readonly Field[];
