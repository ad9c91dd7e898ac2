// The rows of `[router]`. How a target is chosen.

import { strategyNames } from '../../gateway/routing/strategy.ts';
import type { Field } from '../field.ts';
import { areErrorKinds } from '../rules.ts';

export const routerFields = [
  {
    table: 'router',
    key: 'strategy',
    type: 'choice',
    description: 'Which target is asked first.',
    default: 'priority',
    choices: strategyNames,
  },
  {
    table: 'router',
    key: 'fallback_enabled',
    type: 'boolean',
    description: 'Ask the next target when one fails before anything came.',
    default: true,
  },
  {
    table: 'router',
    key: 'fallback_on',
    type: 'list of strings',
    description: 'The kinds of errors after which the next target is asked.',
    otherwise: 'every kind but `bad-request`, `healing`, `configuration` and `internal`',
    rule: areErrorKinds,
  },
  {
    table: 'router',
    key: 'on_cut',
    type: 'choice',
    description: 'What becomes of a text that is cut in the middle: an error, or another target goes on with it.',
    default: 'fail',
    choices: ['fail', 'continue'],
  },
] as const satisfies readonly Field[];
