// The rows of `[models.NAME]`. Names of one’s own for models.

import { strategyNames } from '../../gateway/routing/strategy.ts';
import type { Field } from '../field.ts';
import { areTargets, areWeights } from '../rules.ts';

export const modelsFields = [
  {
    table: 'models',
    key: 'targets',
    type: 'list of strings',
    description: 'A list of `provider/model`, not empty; the strategy chooses, and the others stand by.',
    required: true,
    rule: areTargets,
  },
  {
    table: 'models',
    key: 'strategy',
    type: 'choice',
    description: 'Which target is asked first.',
    otherwise: 'that of `[router]`',
    choices: strategyNames,
  },
  {
    table: 'models',
    key: 'weights',
    type: 'list of numbers',
    description: 'One for each target: its part of the calls when the strategy is `weighted`.',
    otherwise: 'the `weight` of each provider',
    rule: areWeights,
  },
] as const satisfies readonly Field[];
